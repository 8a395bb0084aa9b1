from __future__ import annotations

import pandas
from conftest import rows_of, until

from anneal import Anneal, Model
from anneal.records import ReviewItem


def test_corrections_of_calls_become_a_version(client: Anneal, trained: Model, promoted: Model, tickets: str) -> None:
    later = rows_of("support-tickets.later.jsonl")
    answers = promoted.predict([row["text"] for row in later])
    for row, answer in zip(later, answers, strict=True):
        if answer.result["classification"]["label"] == row["label"]:
            client.review.confirm(str(answer.inference_id), reviewer="Ann")
        else:
            client.review.correct(str(answer.inference_id), {"classification": row["label"]}, reviewer="Ann")
    improvement = client.improve(tickets)
    assert improvement.status == "done"
    assert improvement.outcome in ("candidate", "promoted", "rejected")
    assert improvement.version == 2
    assert client.promote(tickets, 2, reason="a person says so").version == 2
    assert client.promote(tickets, client.model(trained.id), reason="back to the first one").version == 1
    assert client.model(f"{tickets}@2")("Wo ist mein Paket?")["classification"]["label"]


def test_calls_that_await_review_are_offered_until_they_are_judged(client: Anneal, promoted: Model, tickets: str) -> None:
    asked = {answer.inference_id for answer in promoted.predict([f"Where is order {number}?" for number in (1, 2, 3)])}

    def offered() -> list[ReviewItem]:
        items = client.review.list(strategy="random", model_name=tickets, limit=100)
        return [item for item in items if item.inference_id in asked]

    # A call is offered once the read models have it.
    items = until(offered, lambda items: len(items) == 3)
    client.review.correct(items[0], {"classification": "delivery"}, notes="seen by a person")
    client.review.confirm(items[1])
    assert client.review.skip(items[2], reason="unreadable").state == "skipped"
    assert until(offered, lambda items: not items) == []
    judged = client.inferences.get(items[0].inference_id)
    assert (judged.human_verdict, judged.human_feedback_notes) == ("incorrect", "seen by a person")


def test_recorded_calls_are_a_frame_of_python_objects(client: Anneal, promoted: Model) -> None:
    [answer] = promoted.predict(["Where is order 4?"])
    client.inferences.feedback(str(answer.inference_id), "incorrect", {"classification": "delivery"})
    calls = client.inferences.to_pandas(model_id=promoted.id, since=pandas.Timestamp.now(tz="UTC").normalize().isoformat())
    call = calls.set_index("id").loc[answer.inference_id]
    assert call["input"]["text"] == "Where is order 4?"
    assert call["output"] == answer.result
    assert call["human_corrected_output"] == {"classification": "delivery"}
    assert calls["created_at"].dt.tz is not None
    assert {each.id for each in client.inferences.list(model_id=promoted.id)} == set(calls["id"])


def test_no_calls_are_an_empty_frame(client: Anneal, promoted: Model) -> None:
    calls = client.inferences.to_pandas(model_id=promoted.id, until="2020-01-01T00:00:00Z")
    assert len(calls) == 0 and "output" in calls.columns
