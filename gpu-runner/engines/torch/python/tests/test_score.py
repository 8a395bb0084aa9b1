import json
import math
from pathlib import Path

import pytest
import support
from test_generation import Server


def test_a_trained_model_finds_its_answers_likely_and_the_base_does_not(driver: support.Driver, tiny: Path, overfit: Path) -> None:
    server = Server(driver, tiny)
    server.load("cities", overfit)
    losses = {}
    for model in ("cities", "base"):
        nats, tokens = 0.0, 0
        for number, row in enumerate(support.chat_rows()):
            scored = support.scored(driver, f"{model}-{number}", model, row["messages"])
            nats, tokens = nats + scored["nats"], tokens + scored["tokens"]
        assert tokens > 32
        losses[model] = nats / tokens
    assert losses["cities"] < 0.05 and losses["base"] > 3
    epochs = json.loads((overfit.parent / "epochs.json").read_text())
    assert losses["cities"] == pytest.approx(epochs[-1]["trainingLoss"], abs=0.01)
    assert math.exp(losses["cities"]) < 1.06


def test_a_chat_that_is_too_long_has_no_loss(driver: support.Driver, tiny: Path) -> None:
    Server(driver, tiny)
    chat = [{"role": "user", "content": "a " * 20_000}, {"role": "assistant", "content": "b"}]
    scored = support.scored(driver, "long", "base", chat)
    assert (scored["nats"], scored["tokens"]) == (0, 0)


def test_a_chat_without_an_answer_is_refused(driver: support.Driver, tiny: Path) -> None:
    Server(driver, tiny)
    driver.send("score", id="s", model="base", messages=[{"role": "user", "content": "a"}])
    error = driver.of("error")
    assert (error["id"], error["kind"], error["field"]) == ("s", "bad_request", "messages")
