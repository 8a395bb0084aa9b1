from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

import httpx2
from typing_extensions import Unpack

from .._training import DatasetChoice, references
from ..params import ImproveSettings, TrainingSettings
from ..records import ImprovementRecord, NamedModelRecord, TrainingJobRecord
from .datasets import AsyncDatasets
from .improvements import AsyncImprovements
from .inferences import AsyncInferences
from .jobs import JOBS, AsyncJobs
from .models import AsyncModel, promote
from .review import AsyncReview
from .session import AsyncSession, url_path

BASE_MODEL = "anneal/encoder-base-v1"
MAX_RETRIES = 5


class AsyncAnneal:
    """A workspace of an Anneal system."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float | httpx2.Timeout | None = None,
        max_retries: int = MAX_RETRIES,
        progress: bool = True,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        """Connect to an Anneal system.

        `base_url` and `api_key` default to ANNEAL_BASE_URL (else http://127.0.0.1:8080) and ANNEAL_API_KEY. `timeout` is in
        seconds, for each attempt of a request (120 by default, 5 to connect). A request is sent again up to `max_retries` times.
        `progress=False` prints nothing. `http_client` is for proxies and certificates.
        """
        self._session = AsyncSession(base_url, api_key, timeout, max_retries, progress, http_client)
        self.datasets = AsyncDatasets(self._session)
        self.jobs = AsyncJobs(self._session)
        self.inferences = AsyncInferences(self._session)
        self.review = AsyncReview(self._session)
        self.improvements = AsyncImprovements(self._session)

    def model(self, model_id: str) -> AsyncModel:
        """Return a model to call: a name (`tickets`, `tickets@7`), the id of a training job, or a model of the catalog."""
        return AsyncModel(self._session, model_id)

    async def train(
        self,
        dataset: DatasetChoice | Sequence[DatasetChoice],
        *,
        name: str | None = None,
        base_model: str = BASE_MODEL,
        **settings: Unpack[TrainingSettings],
    ) -> AsyncModel:
        """Train a model on one or more datasets, print its figures epoch by epoch, and return it once it can be called.

        The job goes on if the program stops waiting: `jobs.follow` waits again, `jobs.stop` stops it. Raises TrainingFailedError
        if the job fails or is stopped.
        """
        body = {"model_name": name, "base_model": base_model, "datasets": references(dataset), **settings}
        job = await self._session.post(TrainingJobRecord, JOBS, body)
        self._session.progress.line(f"training job {job.id}")
        job = await self.jobs.follow(job.id)
        return AsyncModel(self._session, job.id, job)

    async def promote(self, name: str, version: AsyncModel | int, *, reason: str) -> NamedModelRecord:
        """Put a version of a named model in use: its number, or a model, which becomes a version of it first.

        The name is made if there is none. `reason` stays on the log.
        """
        return await promote(self._session, name, version, reason)

    async def improve(self, model: str, *, wait: bool = True, **settings: Unpack[ImproveSettings]) -> ImprovementRecord:
        """Make a new version of a named model from the corrections of its answers, and compare it with the version in use.

        With `wait`, print each stage until it is done; `outcome` says what became of the version. Raises ImprovementFailedError
        if it fails.
        """
        improvement = await self._session.post(ImprovementRecord, url_path("models", model, "improve"), settings)
        return await self.improvements.follow(improvement.id) if wait else improvement

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()

    async def __aenter__(self) -> AsyncAnneal:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()
