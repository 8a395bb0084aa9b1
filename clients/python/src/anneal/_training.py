from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from .params import JobDatasetReference
from .records import DatasetVersionRecord, TrainingJobMessage, TrainingJobRecord

DatasetChoice: TypeAlias = "str | DatasetVersionRecord | JobDatasetReference"
"""The name of a dataset (its newest ready version), a version, or `{"name", "version", "held_out"}`."""


def references(chosen: DatasetChoice | Sequence[DatasetChoice]) -> list[JobDatasetReference]:
    """Return datasets as the API names them."""
    if isinstance(chosen, (str, DatasetVersionRecord, dict)):
        return [_reference(chosen)]
    return [_reference(each) for each in chosen]


def _reference(chosen: DatasetChoice) -> JobDatasetReference:
    if isinstance(chosen, str):
        return {"name": chosen}
    if isinstance(chosen, DatasetVersionRecord):
        return {"name": chosen.name, "version": chosen.version_number}
    return chosen


def epoch_text(event: TrainingJobMessage) -> str:
    """Return the figures of an epoch on a line."""
    figures = {"training loss": event.training_loss, "validation loss": event.validation_loss, "F1": event.f1}
    shown = [f"{name} {value:.3f}" for name, value in figures.items() if value is not None]
    return f"epoch {event.epoch}: " + ", ".join(shown)


def result_text(job: TrainingJobRecord) -> str:
    """Return what came of a job on a line."""
    metrics = job.metrics
    if metrics is None or metrics.f1 is None:
        note = metrics.figures_note if metrics else None
        return f"{job.model_name} ({job.id}) is trained" + (f": {note}" if note else "")
    figures = {"F1": metrics.f1, "precision": metrics.precision, "recall": metrics.recall}
    shown = ", ".join(f"{name} {value:.3f}" for name, value in figures.items() if value is not None)
    rows = f" on {metrics.judged_rows} rows held out" if metrics.judged_rows is not None else ""
    note = f" ({metrics.figures_note})" if metrics.figures_note else ""
    return f"{job.model_name} ({job.id}) is trained: {shown}{rows}{note}"
