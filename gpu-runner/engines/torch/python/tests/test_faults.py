"""Faults of one request: it ends with an error of its own, and the process serves the others."""

import gc
import random
import threading
import time
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import support
import torch
from test_generation import Server
from tokenizers import Tokenizer, decoders, models

from anneal_runner.bases import BaseFacts, load_base
from anneal_runner.frames import encode_frame
from anneal_runner.generation.answer import Answer
from anneal_runner.generation.batch import Batch
from anneal_runner.generation.grammar import Vocabulary
from anneal_runner.generation.outbox import Outbox
from anneal_runner.generation.request import read_request
from anneal_runner.generation.sampling import Choice, Draw, choose
from anneal_runner.generation.text import Detokenizer

QUESTION = support.chat_rows()[0]["messages"][0]
REQUEST = read_request({"id": "a", "model": "m", "prompt": "x"})


class Panic(BaseException):
    """The exception that packages written in Rust raise."""


@pytest.fixture
def server(driver: support.Driver, tiny: Path) -> Server:
    return Server(driver, tiny)


def test_calls_with_arguments_nested_past_what_json_reads_are_shown_as_they_are(server: Server) -> None:
    call = {"function": {"name": "f", "arguments": "[" * 200_000}}
    answer = {"role": "assistant", "content": "", "tool_calls": [call]}
    assert server.generate(messages=[QUESTION, answer, QUESTION]).end["type"] == "done"


@pytest.mark.parametrize("field", ["prompt", "messages"])
def test_half_a_surrogate_pair_is_refused_by_name(server: Server, field: str) -> None:
    value: Any = "\ud800" if field == "prompt" else [{"role": "user", "content": "\ud800"}]
    end = server.generate(**{field: value}).end
    assert (end["type"], end["kind"], end["field"]) == ("error", "bad_request", field)
    assert server.generate().end["type"] == "done"


@pytest.mark.parametrize("temperature", [1e-40, 1e-38, 1e-9])
def test_a_tiny_temperature_is_greedy(server: Server, temperature: float) -> None:
    assert server.generate(temperature=temperature).text == server.generate().text


def test_logits_that_are_no_numbers_are_refused_as_the_models_fault(tiny: Path) -> None:
    draws = [Draw(replace(REQUEST, temperature=temperature), random.Random(1), {}, None) for temperature in (0.0, 1.0)]
    for wrong in (torch.nan, torch.inf):
        right = torch.tensor([0.0, 1.0])
        assert choose(torch.stack([torch.full((2,), wrong)] * 2), draws) == [None, None]
        assert choose(torch.stack([torch.tensor([0.0, wrong]), right]), draws)[0] is None
        assert choose(torch.stack([right, torch.tensor([0.0, wrong])]), draws)[1] is None
    outbox = Outbox(sent := _Sent(), "a")  # type: ignore[arg-type]
    base = load_base(BaseFacts("test/tiny", "0", tiny), torch.device("cpu"), torch.float32)
    Answer(base, Vocabulary(base), REQUEST, outbox).take(None)
    assert [m["kind"] for m in sent.messages] == ["artifact"]


def test_a_template_that_fails_refuses_the_messages(driver: support.Driver, tmp_path: Path) -> None:
    server = Server(driver, support.make_base(tmp_path / "zero", template="{{ 1 / (messages | length - 1) }}"))
    end = server.generate(messages=[QUESTION]).end
    assert (end["kind"], end["field"]) == ("bad_request", "messages")
    assert server.generate(prompt="a").end["type"] == "done"


def test_a_panic_over_one_answer_leaves_the_others_alone(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: Answer, choice: Choice) -> None:
        if self._request.seed == 99 and len(self._tokens) == 3:
            raise Panic("no token")
        take(self, choice)

    take = Answer._take
    monkeypatch.setattr(Answer, "_take", fails)
    alone = server.generate(seed=5, temperature=1, maxTokens=40).text
    neighbour = server.start(seed=5, temperature=1, maxTokens=40)
    end = server.generate(seed=99).end
    assert (end["type"], end["kind"]) == ("error", "internal") and "no token" not in end["message"]
    assert server.result(neighbour).text == alone


def test_memory_that_ran_out_over_one_prompt_fails_that_request_alone(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: Batch, member: Any, claim: Any) -> Any:
        if member.answer._request.seed == 99:
            raise torch.OutOfMemoryError("no memory")
        return read(self, member, claim)

    read = Batch.read
    monkeypatch.setattr(Batch, "read", fails)
    neighbour = server.start(maxTokens=200, temperature=2, seed=3)
    server.driver.until(lambda m: m["type"] == "token" and m["id"] == neighbour)
    assert server.generate(seed=99).end["kind"] == "out_of_memory"
    assert server.result(neighbour).end["type"] == "done"


def test_bytes_that_are_no_characters_do_not_end_an_answer() -> None:
    names = [*(f"<0x{byte:02X}>" for byte in range(256)), "a", "b"]
    vocabulary = {name: index for index, name in enumerate(names)}
    tokenizer = Tokenizer(models.BPE(vocabulary, [], byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])  # type: ignore[assignment]
    stream = Detokenizer(tokenizer, [256])
    text = "".join(stream.push(token) for token in [0xC3, 0xA9, 0xFF, 256, 257, 0xC3, 0xA9, 257]) + stream.flush()
    assert text.replace("\ufffd", "") == "éabéb"


class _Sent:
    """A channel that keeps what a pipe would take."""

    def __init__(self) -> None:
        self.messages: list[support.Message] = []

    def send(self, message_type: str, **fields: Any) -> None:
        message = {"type": message_type, **fields}
        encode_frame(message)
        self.messages.append(message)


def test_what_gathers_goes_out_in_frames_that_a_pipe_takes() -> None:
    sent = _Sent()
    outbox = Outbox(sent, "a")  # type: ignore[arg-type]
    other = {"token": "x" * 200, "bytes": [200] * 200, "logprob": -1.0}
    entries = [{**other, "token": str(number), "top": [other] * 20} for number in range(1200)]
    for entry in entries:
        outbox.text("y", [entry])
    outbox.end("done")
    assert len(sent.messages) == 64 and not outbox.is_finished
    outbox.acknowledge(64)
    outbox.flush()
    assert outbox.is_finished and sent.messages[-1]["type"] == "done"
    tokens = sent.messages[:-1]
    assert [m["seq"] for m in tokens] == list(range(1, len(tokens) + 1))
    assert [entry["token"] for m in tokens for entry in m["logprobs"]] == [entry["token"] for entry in entries]
    assert all(len(m["text"]) == len(m["logprobs"]) for m in tokens)


def test_an_answer_that_was_made_and_not_read_can_be_cancelled(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anneal_runner.generation.outbox.MAX_OUTSTANDING", 3)
    driver = support.in_thread(acknowledges=False)
    server = Server(driver, tiny)
    unread = server.start(maxTokens=8, temperature=2, seed=1)
    driver.until(lambda m: m["type"] == "token" and m["id"] == unread and m["seq"] == 3)
    for _ in range(8):
        server.generate(maxTokens=1)
    driver.send("cancel", id=unread)
    assert server.result(unread).end["type"] == "done"
    driver.send("unload", model="base")
    driver.of("unloaded")
    driver.close()


def test_a_cancel_that_comes_before_its_training_is_taken_up_is_heeded(
    server: Server, tiny: Path, tmp_path: Path, rows: Path, held_out: Path
) -> None:
    server.driver.send("load", model="busy", base=support.base_message(tiny) | {"sha256": "1" * 64}, adapter=None)
    server.driver.send(**support.keywords(support.train_message(tiny, tmp_path, rows, held_out)))
    server.driver.send("cancel", id=None)
    assert server.driver.until(lambda m: m["type"] in ("trained", "error"))["kind"] == "cancelled"


def test_a_cancel_ends_a_training_that_waits_for_its_checkpoint_to_be_taken(
    tiny: Path, tmp_path: Path, rows: Path, held_out: Path
) -> None:
    driver = support.in_thread(acknowledges=False)
    driver.send(**support.keywords(support.train_message(tiny, tmp_path, rows, held_out, saveSteps=1)))
    driver.of("checkpoint")
    driver.send("cancel", id=None)
    assert driver.of("error")["kind"] == "cancelled"
    driver.close()


def test_heartbeats_end_when_a_message_to_an_idle_process_hangs(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anneal_runner.heartbeat.INTERVAL_SECONDS", 0.05)
    driver = support.in_thread(step_seconds=0.5)
    server = Server(driver, tiny)
    is_free = threading.Event()
    monkeypatch.setattr("anneal_runner.generation.answer.render", lambda *_, **__: is_free.wait() and "")
    server.start()
    until = time.monotonic() + 30
    before = -1
    while driver.heartbeats != before:
        assert time.monotonic() < until, "heartbeats go on"
        before = driver.heartbeats
        time.sleep(1)
    is_free.set()
    driver.close()


def test_the_weights_of_an_unloaded_base_are_let_go_of_at_once(
    driver: support.Driver, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[Any] = []

    def loaded(*arguments: Any) -> Any:
        base = load_base(*arguments)
        held.append(weakref.ref(base.model))
        return base

    monkeypatch.setattr("anneal_runner.generation.server.load_base", loaded)
    server = Server(driver, tiny)
    server.generate(maxTokens=2)
    gc.collect()
    gc.disable()
    try:
        driver.send("unload", model="base")
        driver.of("unloaded")
        assert [reference() for reference in held] == [None]
    finally:
        gc.enable()


@pytest.mark.parametrize("file", ["model.safetensors", "config.json"])
def test_a_base_that_is_cut_off_is_refused_and_the_process_goes_on(driver: support.Driver, tmp_path: Path, file: str) -> None:
    directory = support.make_base(tmp_path / "base")
    (directory / file).write_bytes((directory / file).read_bytes()[:100])
    refused = Server(driver, directory).driver.until(lambda m: m.get("model") == "base")
    assert (refused["type"], refused["kind"]) == ("error", "artifact")
    driver.send("load", model="again", base=support.base_message(directory), adapter=None)
    driver.until(lambda m: m.get("model") == "again")
