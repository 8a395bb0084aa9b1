from __future__ import annotations

from collections.abc import AsyncIterator

from .._training import epoch_text, result_text
from ..errors import TrainingFailedError
from ..records import StoppedJob, TrainingJobList, TrainingJobMessage, TrainingJobRecord
from .session import AsyncSession, url_path

JOBS = "/felix/training-jobs"


class AsyncJobs:
    """Training jobs."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def get(self, job_id: str) -> TrainingJobRecord:
        """Return a job, with `metrics` once it is complete."""
        return await self._session.get(TrainingJobRecord, JOBS + url_path(job_id))

    async def list(self) -> list[TrainingJobRecord]:
        """Return the jobs of the workspace, the newest first."""
        listed = await self._session.get(TrainingJobList, JOBS)
        return listed.training_jobs

    async def stop(self, job_id: str) -> StoppedJob:
        """Stop a job that is waiting or running."""
        return await self._session.post(StoppedJob, JOBS + url_path(job_id, "stop"))

    async def events(self, job_id: str) -> AsyncIterator[TrainingJobMessage]:
        """Yield what is known of a job and then what becomes of it, until it has ended."""
        async for event in self._session.events(TrainingJobMessage, JOBS + url_path(job_id, "events")):
            yield event
            if event.type == "end":
                return

    async def follow(self, job_id: str) -> TrainingJobRecord:
        """Print the losses and the F1 of each epoch until the job has ended. Raises TrainingFailedError if it is not complete."""
        with self._session.progress.bar("training", 100) as bar:
            async for event in self.events(job_id):
                if event.type == "epoch":
                    bar.line(epoch_text(event))
                elif event.type == "progress":
                    bar.set(event.progress_percent or 0)
        job = await self.get(job_id)
        if job.normalized_status != "complete":
            raise TrainingFailedError(job)
        self._session.progress.line(result_text(job))
        return job
