"""Client of Anneal: upload labelled examples, train small task models, call, review and improve them."""

from . import params, records
from ._async.client import AsyncAnneal
from ._async.models import AsyncModel
from ._frames import Answer
from ._sync.client import Anneal
from ._sync.models import Model
from ._version import __version__
from .errors import (
    AnnealError,
    AnnealWarning,
    APIConnectionError,
    APIStatusError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    DatasetFailedError,
    FieldError,
    ImprovementFailedError,
    InternalServerError,
    NotFoundError,
    PaymentRequiredError,
    PermissionDeniedError,
    RateLimitError,
    TooLargeError,
    TrainingFailedError,
    UnprocessableEntityError,
)

__all__ = [
    "APIConnectionError",
    "APIStatusError",
    "Anneal",
    "AnnealError",
    "AnnealWarning",
    "Answer",
    "AsyncAnneal",
    "AsyncModel",
    "AuthenticationError",
    "BadRequestError",
    "ConflictError",
    "DatasetFailedError",
    "FieldError",
    "ImprovementFailedError",
    "InternalServerError",
    "Model",
    "NotFoundError",
    "PaymentRequiredError",
    "PermissionDeniedError",
    "RateLimitError",
    "TooLargeError",
    "TrainingFailedError",
    "UnprocessableEntityError",
    "__version__",
    "params",
    "records",
]
