from __future__ import annotations

import importlib.util
import threading
import time
from collections.abc import Callable
from typing import Any

import httpx2
import pandas
import pytest
from conftest import rows_of

from anneal import Anneal, AnnealWarning, Model, NotFoundError

BASE = "anneal/encoder-base-v1"
TEXT = "Maria Rossi flew from Lisbon to Berlin."


def test_one_text_gives_its_result(client: Anneal) -> None:
    result = client.model(BASE)(TEXT, schema=["city"])
    assert [city["text"] for city in result["entities"]["city"]] == ["Lisbon", "Berlin"]
    assert TEXT[result["entities"]["city"][1]["start"] :] == "Berlin."


def test_many_texts_give_a_frame_in_their_order(promoted: Model) -> None:
    tickets = pandas.DataFrame(rows_of("support-tickets.held-out.jsonl")).set_index(pandas.Index(range(1000, 1120)))
    answers = promoted(tickets["text"], concurrency=16)
    assert list(answers.index) == list(tickets.index)
    assert list(answers["text"]) == list(tickets["text"])
    assert (answers["classification.label"] == tickets["label"]).mean() > 0.6
    assert answers["inference_id"].nunique() == 120


@pytest.mark.parametrize("batch_size", [7, 50])
def test_batches_answer_as_single_calls_do(promoted: Model, batch_size: int) -> None:
    texts = [row["text"] for row in rows_of("support-tickets.held-out.jsonl")[:50]]
    batches = promoted(texts, batch_size=batch_size)
    assert batches["inference_id"].nunique() == -(-50 // batch_size)
    pandas.testing.assert_frame_equal(batches.drop(columns="inference_id"), promoted(texts).drop(columns="inference_id"))


def test_without_pandas_many_texts_give_dicts(client: Anneal, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pandas" else find(name))
    [row] = client.model(BASE)([TEXT], schema={"entities": ["city"]}, include_confidence=False, include_spans=False)
    assert row == {"text": TEXT, "entities.city": ["Lisbon", "Berlin"], "inference_id": row["inference_id"]}


def test_no_texts_give_no_rows(client: Anneal) -> None:
    assert client.model(BASE).predict([]) == []
    assert len(client.model(BASE)([])) == 0


def test_a_call_that_is_not_stored_has_no_id(client: Anneal) -> None:
    [answer] = client.model(BASE).predict([TEXT], schema=["city"], store=False)
    assert answer.inference_id is None


def test_what_an_answer_says_beside_its_result_is_a_warning(client: Anneal) -> None:
    with pytest.warns(AnnealWarning, match="description"):
        client.model(BASE)(TEXT, schema={"entities": {"city": "a large town"}})


def test_explanations_come_with_answers(promoted: Model) -> None:
    [answer] = promoted.predict([TEXT], explain=True)
    assert answer.explanation is not None and len(answer.explanation.nearest_rows) == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model: model(["a", None]), r"`texts\[1\]` must be a string \(got None\)"),
        (lambda model: model(["a"], concurrency=0), "`concurrency` must be at least 1"),
        (lambda model: model(["a"], batch_size=0), "`batch_size` must be at least 1"),
    ],
)
def test_wrong_arguments_are_named_before_anything_is_sent(client: Anneal, call: Callable[[Model], Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        call(client.model(BASE))


def test_no_more_calls_run_at_once_than_asked_for() -> None:
    running: list[int] = [0, 0]
    lock = threading.Lock()

    def answer(request: httpx2.Request) -> httpx2.Response:
        with lock:
            running[0] += 1
            running[1] = max(running)
        time.sleep(0.01)
        with lock:
            running[0] -= 1
        return httpx2.Response(200, json=_answer())

    http_client = httpx2.Client(transport=httpx2.MockTransport(answer))
    with Anneal("http://mock", "pio_sk_mock", http_client=http_client, progress=False) as client:
        client.model("m")([str(number) for number in range(30)], concurrency=3)
    assert running == [0, 3]


def test_the_first_refusal_ends_the_calls() -> None:
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.url.path)
        return httpx2.Response(404, json={"detail": 'model "m" does not exist'})

    http_client = httpx2.Client(transport=httpx2.MockTransport(answer))
    with Anneal("http://mock", "pio_sk_mock", http_client=http_client, progress=False) as client:
        with pytest.raises(NotFoundError, match='model "m" does not exist'):
            client.model("m")([str(number) for number in range(1000)], concurrency=2)
    assert len(asked) < 1000


def _answer() -> dict[str, Any]:
    return {
        **{"type": "encoder", "inference_id": None, "result": {}, "model_id": "m", "model_used": "m"},
        **{"latency_ms": 1, "token_usage": 1},
    }
