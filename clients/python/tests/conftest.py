"""The tests of a system need one: ANNEAL_BASE_URL and ANNEAL_API_KEY name it."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from anneal import Anneal, Model

T = TypeVar("T")
EXAMPLES = Path(__file__).parents[3] / "examples"
TICKETS = EXAMPLES / "support-tickets.jsonl"


def rows_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EXAMPLES / name).read_text().splitlines()]


def until(ask: Callable[[], T], holds: Callable[[T], bool]) -> T:
    """Ask until the answer holds, which is left to fail after two minutes."""
    give_up = time.monotonic() + 120
    while not holds(answer := ask()) and time.monotonic() < give_up:
        time.sleep(0.05)
    assert holds(answer), answer
    return answer


@pytest.fixture(scope="session")
def client() -> Iterator[Anneal]:
    with Anneal() as client:
        yield client


@pytest.fixture
def unique() -> Callable[[str], str]:
    """Names that no other run has used."""
    return lambda name: f"{name}-{uuid.uuid4().hex[:8]}"


@pytest.fixture(scope="session")
def tickets() -> str:
    """The name of a dataset and a model of this run."""
    return f"tickets-{uuid.uuid4().hex[:8]}"


@pytest.fixture(scope="session")
def trained(client: Anneal, tickets: str) -> Model:
    client.datasets.upload(TICKETS, tickets)
    return client.train(tickets, name=tickets, nr_epochs=4)


@pytest.fixture(scope="session")
def promoted(client: Anneal, tickets: str, trained: Model) -> Model:
    client.promote(tickets, trained, reason="the first one")
    return client.model(tickets)
