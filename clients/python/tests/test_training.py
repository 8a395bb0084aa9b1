from __future__ import annotations

import asyncio
import uuid

import pytest

from anneal import Anneal, AsyncAnneal, Model, TrainingFailedError
from anneal.records import TrainingJobRecord


def test_train_prints_each_epoch_and_returns_the_model(
    client: Anneal, trained: Model, tickets: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model = client.train(client.datasets.get(tickets), name=tickets, nr_epochs=2, seed=7)
    printed = capsys.readouterr().err
    assert [f"epoch {number}: training loss" in printed for number in (1, 2, 3)] == [True, True, False]
    assert f"{tickets} ({model.id}) is trained: F1" in printed
    assert model.job is not None and model.job.metrics is not None
    assert (model.job.nr_epochs, model.job.seed) == (2, 7)
    assert model.job.metrics.f1 is not None and model.job.metrics.f1 > 0.8
    assert model.id in [job.id for job in client.jobs.list()]


def test_datasets_can_be_held_out_whole(client: Anneal, trained: Model, tickets: str) -> None:
    checked = f"{tickets}-checked"
    client.datasets.upload([{"text": "Where is order 1?", "label": "delivery"}], checked)
    job = client.train([tickets, {"name": checked, "held_out": True}], nr_epochs=1).job
    assert job is not None and job.metrics is not None
    assert [(used.name, bool(used.held_out)) for used in job.datasets] == [(tickets, False), (checked, True)]
    assert job.metrics.judged_rows == 1


def test_events_tell_a_finished_job_again(client: Anneal, trained: Model) -> None:
    events = list(client.jobs.events(trained.id))
    assert [event.epoch for event in events if event.type == "epoch"] == [1, 2, 3, 4]
    assert events[-1].type == "end"


def test_a_job_that_is_stopped_raises(trained: Model, tickets: str) -> None:
    name = f"stopped-{uuid.uuid4().hex[:8]}"

    async def job_of(client: AsyncAnneal) -> TrainingJobRecord:
        while True:
            for job in await client.jobs.list():
                if job.model_name == name:
                    return job
            await asyncio.sleep(0.05)

    async def stopped() -> None:
        async with AsyncAnneal() as client:
            training = asyncio.create_task(client.train(tickets, name=name, nr_epochs=200, early_stopping_patience=0))
            await client.jobs.stop((await job_of(client)).id)
            await training

    with pytest.raises(TrainingFailedError, match="is cancelled") as raised:
        asyncio.run(stopped())
    assert raised.value.job.status == "cancelled"
