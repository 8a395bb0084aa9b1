"""Errors of the client. All of them are `AnnealError`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2

    from .records import DatasetVersionRecord, ImprovementRecord, TrainingJobRecord

SHOWN_ROW_ERRORS = 10


class AnnealError(Exception):
    """Base class of the errors of this package."""


class APIConnectionError(AnnealError):
    """The API did not answer: the connection failed, broke off or timed out, and retries did not help."""


@dataclass(frozen=True)
class FieldError:
    """What is wrong with one field of a request."""

    field: str
    """Path of the field, such as `datasets.0.name`."""
    message: str
    type: str

    def __str__(self) -> str:
        """Return the field and what is wrong with it."""
        return f"`{self.field}` {self.message}" if self.field else self.message


class APIStatusError(AnnealError):
    """The API refused a request. The message names what was wrong, and the field if there is one."""

    def __init__(self, response: httpx2.Response) -> None:
        self.status_code: int = response.status_code
        self.request_id: str | None = response.headers.get("x-request-id")
        self.body: Any = _body_of(response)
        """The JSON of the answer, or its text."""
        self.errors: list[FieldError] = _field_errors(self.body)
        self.code: str | None = _first_text(self.body, "code", "error")
        request = response.request
        super().__init__(f"{self.status_code} from {request.method} {request.url.path}: {self._reason()}")

    def _reason(self) -> str:
        if self.errors:
            return "; ".join(map(str, self.errors))
        reason = _first_text(self.body, "message", "detail") or str(self.body)[:500] or "no reason given"
        where = _first_text(self.body, "resolution_url")
        return f"{reason} ({where})" if where else reason


class BadRequestError(APIStatusError):
    """400: the request cannot be read."""


class AuthenticationError(APIStatusError):
    """401: there is no valid API key."""


class PaymentRequiredError(APIStatusError):
    """402: the credits of the team are used up."""


class PermissionDeniedError(APIStatusError):
    """403: the API key may not do this."""


class NotFoundError(APIStatusError):
    """404: nothing in the workspace has this name or id."""


class ConflictError(APIStatusError):
    """409: the present state of the resource does not allow this."""


class TooLargeError(APIStatusError):
    """413: the request is too large, or a quota of the workspace is exceeded."""


class UnprocessableEntityError(APIStatusError):
    """422: a field is wrong, which `errors` names."""


class RateLimitError(APIStatusError):
    """429: there were too many requests, and retries did not help."""


class InternalServerError(APIStatusError):
    """5xx: the API failed, and retries did not help. Its log has the reason under `request_id`."""


class DatasetFailedError(AnnealError):
    """A dataset version cannot be used. The message shows the first errors of rows; `version.row_errors` has more."""

    def __init__(self, version: DatasetVersionRecord) -> None:
        self.version = version
        errors = version.row_errors
        rows = errors.rows[:SHOWN_ROW_ERRORS] if errors else []
        lines = [f"  row {error.row}: `{error.field}` {error.reason}" for error in rows]
        if errors and errors.total > len(lines):
            lines.append(f"  and {errors.total - len(lines)} more")
        head = f"version {version.version_number} of {version.name} failed: {version.processing_error}"
        super().__init__("\n".join([head, *lines]))


class TrainingFailedError(AnnealError):
    """A training job failed or was cancelled."""

    def __init__(self, job: TrainingJobRecord) -> None:
        self.job = job
        super().__init__(f"training job {job.id} is {job.status}" + (f": {job.error_message}" if job.error_message else ""))


class ImprovementFailedError(AnnealError):
    """An improvement failed or was cancelled. One whose gate refused the new version is no error: `outcome` is `rejected`."""

    def __init__(self, improvement: ImprovementRecord) -> None:
        self.improvement = improvement
        super().__init__(f"improvement {improvement.id} of {improvement.model} {improvement.status}: {improvement.reason}")


class AnnealWarning(UserWarning):
    """Something that an answer says beside its result, such as a text that was cut."""


_BY_STATUS: dict[int, type[APIStatusError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    402: PaymentRequiredError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    413: TooLargeError,
    422: UnprocessableEntityError,
    429: RateLimitError,
}


def status_error(response: httpx2.Response) -> APIStatusError:
    """Return the error that a refusal stands for. The body must have been read."""
    other = InternalServerError if response.status_code >= 500 else APIStatusError
    return _BY_STATUS.get(response.status_code, other)(response)


def _body_of(response: httpx2.Response) -> Any:
    try:
        return response.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        return response.text


def _field_errors(body: Any) -> list[FieldError]:
    errors = body.get("errors") if isinstance(body, dict) else None
    if not isinstance(errors, list):
        return []
    # The first part says where in the request the field is: body, query, path.
    return [
        FieldError(".".join(map(str, each.get("loc", [])[1:])), str(each.get("msg")), str(each.get("type")))
        for each in errors
        if isinstance(each, dict)
    ]


def _first_text(body: Any, *names: str) -> str | None:
    """Return the first text under one of these names, in the body or in its `detail`."""
    for fields in (body, body.get("detail") if isinstance(body, dict) else None):
        for name in names:
            if isinstance(fields, dict) and isinstance(fields.get(name), str):
                return str(fields[name])
    return None
