from __future__ import annotations

from collections.abc import Iterator

from .._training import epoch_text, result_text
from ..errors import TrainingFailedError
from ..records import StoppedJob, TrainingJobList, TrainingJobMessage, TrainingJobRecord
from .session import Session, url_path

JOBS = "/felix/training-jobs"


class Jobs:
    """Training jobs."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get(self, job_id: str) -> TrainingJobRecord:
        """Return a job, with `metrics` once it is complete."""
        return self._session.get(TrainingJobRecord, JOBS + url_path(job_id))

    def list(self) -> list[TrainingJobRecord]:
        """Return the jobs of the workspace, the newest first."""
        listed = self._session.get(TrainingJobList, JOBS)
        return listed.training_jobs

    def stop(self, job_id: str) -> StoppedJob:
        """Stop a job that is waiting or running."""
        return self._session.post(StoppedJob, JOBS + url_path(job_id, "stop"))

    def events(self, job_id: str) -> Iterator[TrainingJobMessage]:
        """Yield what is known of a job and then what becomes of it, until it has ended."""
        for event in self._session.events(TrainingJobMessage, JOBS + url_path(job_id, "events")):
            yield event
            if event.type == "end":
                return

    def follow(self, job_id: str) -> TrainingJobRecord:
        """Print the losses and the F1 of each epoch until the job has ended. Raises TrainingFailedError if it is not complete."""
        with self._session.progress.bar("training", 100) as bar:
            for event in self.events(job_id):
                if event.type == "epoch":
                    bar.line(epoch_text(event))
                elif event.type == "progress":
                    bar.set(event.progress_percent or 0)
        job = self.get(job_id)
        if job.normalized_status != "complete":
            raise TrainingFailedError(job)
        self._session.progress.line(result_text(job))
        return job
