"""Trainings by several processes."""

import os
import signal
import subprocess
import time
from pathlib import Path

import encoders
import pytest
import support

SETTINGS = {"epochs": 2, "loraDropout": 0.0, "batchSize": 8}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return support.make_base(tmp_path_factory.mktemp("base"), support.CHATML)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return support.write_rows(tmp_path / "train.jsonl", support.chat_rows(20))


def pair() -> support.Process:
    process = support.Process("--processes", "2")
    process.driver.patience = 300
    return process


def children(of: int) -> list[int]:
    found = subprocess.run(["ps", "--ppid", str(of), "-o", "pid="], capture_output=True, text=True, check=False).stdout
    return [int(pid) for pid in found.split()]


def are_gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + 120
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


def curve(driver: support.Driver) -> list[tuple[float, float]]:
    return [(m["trainingLoss"], m["validationLoss"]) for m in driver.all_of("epoch")]


def test_two_processes_learn_the_same_as_one_and_leave_nothing_behind(base: Path, rows: Path, tmp_path: Path) -> None:
    alone = support.in_thread()
    end = alone.train(support.train_message(base, tmp_path / "one", rows, rows, **SETTINGS))
    both = pair()
    message = support.train_message(base, tmp_path / "two", rows, rows, **SETTINGS)
    both.driver.send(**support.keywords(message))
    both.driver.of("progress")
    others = children(both.process.pid)
    assert len(others) == 1
    trained = both.driver.until(lambda m: m["type"] in ("trained", "error"))
    # The same rows in the same steps: 20 rows make steps of 8, 8 and 4.
    assert [m["step"] for m in both.driver.all_of("progress")] == [1, 2, 3, 4, 5, 6]
    for ours, theirs in zip(curve(both.driver), curve(alone), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-4)
    assert trained["metrics"]["finalValidationLoss"] == pytest.approx(end["metrics"]["finalValidationLoss"], rel=1e-4)
    assert are_gone(others)
    both.driver.close()
    assert both.process.wait(60) == 0


@pytest.mark.parametrize("which", ["first", "other"])
def test_a_process_that_is_killed_ends_the_attempt_and_the_next_goes_on(base: Path, rows: Path, tmp_path: Path, which: str) -> None:
    settings = SETTINGS | {"epochs": 3, "loraDropout": 0.1}
    whole = pair()
    whole.driver.send(**support.keywords(support.train_message(base, tmp_path / "whole", rows, rows, **settings)))
    whole.driver.of("trained")
    whole.driver.close()
    lost = support.Process("--processes", "2", acknowledges=False)
    lost.driver.patience = 300
    message = support.train_message(base, tmp_path / "lost", rows, rows, **settings)
    lost.driver.send(**support.keywords(message))
    checkpoint = lost.driver.of("checkpoint")
    (other,) = children(lost.process.pid)
    os.kill(lost.process.pid if which == "first" else other, signal.SIGKILL)
    assert lost.process.wait(120) != 0 and are_gone([other])
    assert not [m for m in lost.driver.messages if m["type"] in ("trained", "error")]
    resumed = pair()
    again = message | {"output": str(tmp_path / "again"), "resumeFrom": checkpoint["directory"]}
    resumed.driver.send(**support.keywords(again))
    resumed.driver.of("trained")
    # Dropout is the same too.
    assert curve(resumed.driver) == curve(whole.driver)[1:]
    resumed.driver.close()


def test_a_cancelled_training_ends_in_all_processes(base: Path, rows: Path, tmp_path: Path) -> None:
    both = pair()
    message = support.train_message(base, tmp_path / "out", rows, rows, **SETTINGS | {"epochs": 1000})
    both.driver.send(**support.keywords(message))
    both.driver.of("progress")
    others = children(both.process.pid)
    both.driver.send("cancel", id=None)
    assert both.driver.of("error")["kind"] == "cancelled" and len(others) == 1 and are_gone(others)
    both.driver.close()


def test_what_cannot_be_learned_is_told_once_by_its_kind(base: Path, tmp_path: Path) -> None:
    empty = support.write_rows(tmp_path / "empty.jsonl", [{"messages": [{"role": "user", "content": "a"}]}])
    both = pair()
    both.driver.send(**support.keywords(support.train_message(base, tmp_path / "out", empty, empty)))
    assert both.driver.of("error")["kind"] == "training"
    both.driver.close()


def test_encoders_are_trained_by_two_processes_too(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    base = encoders.make_encoder(tmp_path / "base")
    rows = support.write_rows(tmp_path / "rows.jsonl", encoders.labelled_rows(12))
    alone = support.in_thread()
    alone.train(encoders.train_message(base, tmp_path / "one", rows, rows, epochs=1))
    both = pair()
    both.driver.send(**support.keywords(encoders.train_message(base, tmp_path / "two", rows, rows, epochs=1)))
    both.driver.of("trained")
    # The heads drop out a tenth, each process another.
    assert curve(both.driver)[0] == pytest.approx(curve(alone)[0], rel=0.2)
    both.driver.close()
