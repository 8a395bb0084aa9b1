import json
from pathlib import Path
from typing import Any

import pytest
import support
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

from anneal_runner.bases import BaseFacts, load_base

ROWS = support.chat_rows()


class Server:
    """A runner with the tiny base loaded as `base`, and adapters by name."""

    def __init__(self, driver: support.Driver, tiny: Path) -> None:
        self.driver = driver
        self._tiny = tiny
        self._count = 0
        self.load("base", None)

    def load(self, model: str, adapter: Path | None) -> support.Message:
        self.driver.send(
            "load", model=model, base=support.base_message(self._tiny), adapter=None if adapter is None else str(adapter)
        )
        return self.driver.until(lambda m: m.get("model") == model and m["type"] in ("loaded", "error"))

    def start(self, **fields: Any) -> str:
        self._count += 1
        request = {"model": "base", "maxTokens": 24} | fields
        if "prompt" not in request:
            request.setdefault("messages", ROWS[0]["messages"][:1])
        self.driver.send("generate", id=f"g{self._count}", **request)
        return f"g{self._count}"

    def result(self, request_id: str) -> "Result":
        end = self.driver.until(lambda m: m.get("id") == request_id and m["type"] in ("done", "error"))
        tokens = [m for m in self.driver.all_of("token") if m["id"] == request_id]
        return Result(end, tokens)

    def generate(self, **fields: Any) -> "Result":
        return self.result(self.start(**fields))


class Result:
    def __init__(self, end: support.Message, tokens: list[support.Message]) -> None:
        self.end = end
        self.tokens = tokens
        self.text = "".join(m["text"] for m in tokens)
        self.logprobs = [entry for m in tokens for entry in m.get("logprobs", [])]


@pytest.fixture
def server(driver: support.Driver, tiny: Path) -> Server:
    return Server(driver, tiny)


def test_a_load_says_what_the_model_is(server: Server, overfit: Path) -> None:
    loaded = server.load("cities", overfit)
    assert loaded["type"] == "loaded" and loaded["instruct"] is True and loaded["contextTokens"] == 512
    assert loaded["tools"] is None and loaded["byteSize"] > 10_000 and loaded["baseByteSize"] > loaded["byteSize"]


def test_an_answer_ends_where_the_template_ends_a_turn_though_the_tokenizers_end_is_another(tiny: Path, tmp_path: Path) -> None:
    model, tokenizer = AutoModelForCausalLM.from_pretrained(tiny), AutoTokenizer.from_pretrained(tiny)
    turn = tokenizer.eos_token_id
    tokenizer.eos_token = "<|endoftext|>"
    model.config.eos_token_id = model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    base = load_base(BaseFacts("test/tiny", "0", tmp_path), torch.device("cpu"), torch.float32)
    assert base.end_tokens == {turn, tokenizer.eos_token_id}


def test_an_adapter_answers_as_it_was_trained_and_the_base_does_not(server: Server, overfit: Path) -> None:
    server.load("cities", overfit)
    expected = ROWS[0]["messages"][1]["content"]
    answer = server.generate(model="cities", maxTokens=60)
    assert answer.text == expected
    assert (answer.end["finishReason"], answer.end["stopSequence"], answer.end["toolCalls"]) == ("stop", None, [])
    assert answer.end["usage"]["outputTokens"] == len(support.make_tokenizer()(expected)["input_ids"]) + 1
    assert len(answer.tokens) > 5 and [m["seq"] for m in answer.tokens] == list(range(1, len(answer.tokens) + 1))
    assert server.generate(model="base").text != expected


def test_answers_agree_with_those_of_transformers(server: Server, tiny: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    model = AutoModelForCausalLM.from_pretrained(tiny).eval()
    inputs = tokenizer("Where does Ada", return_tensors="pt")
    made = model.generate(**inputs, max_new_tokens=24, do_sample=False)
    expected = tokenizer.decode(made[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
    assert server.generate(prompt="Where does Ada").text == expected


def test_two_adapters_and_the_base_give_their_own_answers_in_one_batch(server: Server, overfit: Path, other_adapter: Path) -> None:
    server.load("cities", overfit)
    server.load("shouts", other_adapter)
    models = ["cities", "base", "shouts", "cities", "base"]
    questions = [ROWS[index]["messages"][:1] for index in range(len(models))]
    alone = [
        server.generate(model=model, messages=question, maxTokens=60).text
        for model, question in zip(models, questions, strict=True)
    ]
    started = [
        server.start(model=model, messages=question, maxTokens=60) for model, question in zip(models, questions, strict=True)
    ]
    assert [server.result(request).text for request in started] == alone
    assert alone[0] == ROWS[0]["messages"][1]["content"] and alone[2] == "NO." and alone[1] not in (alone[0], alone[2])


def test_a_stop_string_ends_the_answer_before_it_across_token_borders(server: Server, overfit: Path) -> None:
    server.load("cities", overfit)
    whole = ROWS[0]["messages"][1]["content"]
    for start in range(1, len(whole) - 8, 2):
        stop = whole[start : start + 8]
        answer = server.generate(model="cities", stop=["never said", stop], maxTokens=60)
        assert answer.text == whole[: whole.find(stop)]
        assert (answer.end["finishReason"], answer.end["stopSequence"]) == ("stop", stop)


def test_what_only_begins_like_a_stop_string_is_shown(server: Server, overfit: Path) -> None:
    server.load("cities", overfit)
    whole = ROWS[0]["messages"][1]["content"]
    answer = server.generate(model="cities", stop=[whole + "!", whole[:5] + "!"], maxTokens=60)
    assert answer.text == whole and answer.end["stopSequence"] is None


def test_the_same_seed_gives_the_same_answer_and_another_seed_another(server: Server) -> None:
    answers = [server.generate(temperature=1.5, seed=seed).text for seed in (5, 5, 6)]
    assert answers[0] == answers[1] != answers[2]
    assert server.generate(temperature=1.5).text != server.generate(temperature=1.5).text


def test_a_small_top_p_or_top_k_leaves_the_likeliest_token(server: Server) -> None:
    greedy = server.generate().text
    assert server.generate(temperature=2, topP=1e-5).text == greedy
    assert server.generate(temperature=2, topK=1).text == greedy


def test_penalties_keep_a_model_from_repeating_itself(server: Server) -> None:
    tokens = [entry["token"] for entry in server.generate(logprobs=True, maxTokens=40).logprobs]
    varied = [
        entry["token"] for entry in server.generate(logprobs=True, maxTokens=40, presencePenalty=2, frequencyPenalty=2).logprobs
    ]
    assert len(set(varied)) > len(set(tokens))


def test_log_probabilities_are_those_of_the_model(server: Server, tiny: Path, overfit: Path) -> None:
    server.load("cities", overfit)
    answer = server.generate(model="cities", logprobs=True, topLogprobs=3, maxTokens=60)
    assert b"".join(bytes(entry["bytes"]) for entry in answer.logprobs).decode() == answer.text
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(tiny), str(overfit)).eval()
    text = tokenizer.apply_chat_template(ROWS[0]["messages"], tokenize=False)
    tokens = tokenizer(text, return_tensors="pt", add_special_tokens=False)["input_ids"]
    prompt = tokenizer.apply_chat_template(ROWS[0]["messages"][:1], tokenize=False, add_generation_prompt=True)
    start = len(tokenizer(prompt, add_special_tokens=False)["input_ids"])
    with torch.no_grad():
        logprobs = model(input_ids=tokens).logits.log_softmax(-1)[0]
    for index, entry in enumerate(answer.logprobs):
        assert entry["logprob"] == pytest.approx(logprobs[start + index - 1, tokens[0, start + index]].item(), abs=1e-3)
        assert len(entry["top"]) == 3 and entry["top"][0]["logprob"] >= entry["logprob"] - 1e-6


SCHEMA = {
    "type": "object",
    "properties": {
        "order": {"type": "integer"},
        "city": {"enum": ["Paris", "Oslo"]},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 6}, "maxItems": 2},
    },
    "required": ["order", "city", "tags"],
    "additionalProperties": False,
}


def test_answers_with_a_schema_always_parse(server: Server) -> None:
    for seed in range(12):
        schema = json.loads(json.dumps(SCHEMA))
        schema["properties"]["order"] = {"type": "integer", "minimum": 0, "maximum": 9999}
        answer = server.generate(temperature=2, seed=seed, jsonSchema=schema, maxTokens=400)
        assert answer.end["finishReason"] == "stop"
        value = json.loads(answer.text)
        assert isinstance(value["order"], int) and value["city"] in ("Paris", "Oslo") and len(value["tags"]) <= 2


def test_any_object_is_one_schema(server: Server) -> None:
    answer = server.generate(jsonSchema=True, temperature=1, seed=3, maxTokens=60)
    assert answer.text.startswith("{")
    if answer.end["finishReason"] == "stop":
        assert isinstance(json.loads(answer.text), dict)


def test_a_cancelled_answer_ends_within_a_token(server: Server) -> None:
    request = server.start(maxTokens=400, temperature=2, topK=50, messages=ROWS[1]["messages"][:1])
    server.driver.until(lambda m: m["type"] == "token" and m["id"] == request)
    server.driver.send("cancel", id=request)
    answer = server.result(request)
    if answer.end["finishReason"] == "cancelled":
        assert answer.end["usage"]["outputTokens"] < 400
    # The batch goes on without it.
    assert server.generate(maxTokens=4).end["usage"]["outputTokens"] <= 4


def test_a_request_that_was_cancelled_before_its_turn_never_runs(server: Server) -> None:
    requests = [server.start(maxTokens=50) for _ in range(3)]
    server.driver.send("cancel", id=requests[-1])
    end = server.result(requests[-1]).end
    assert end["finishReason"] in ("cancelled", "length", "stop")
    assert server.result(requests[0]).end["finishReason"] != "cancelled"


def test_text_gathers_while_nobody_acknowledges(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anneal_runner.generation.outbox.MAX_OUTSTANDING", 3)
    driver = support.in_thread(acknowledges=False)
    server = Server(driver, tiny)
    other = server.start(maxTokens=300, temperature=2, seed=1, logprobs=True)
    driver.until(lambda m: m["type"] == "token" and m["seq"] == 3)
    # Nothing more of it comes, though the model goes on: a later request ends.
    second = server.start(maxTokens=2)
    assert server.result(second).end["type"] == "done"
    assert max(m["seq"] for m in driver.all_of("token") if m["id"] == other) == 3
    driver.send("ack", id=other, seq=3)
    driver.until(lambda m: m["type"] == "token" and m["id"] == other and m["seq"] == 4)
    while not any(m["type"] == "done" and m["id"] == other for m in driver.messages):
        driver.send("ack", id=other, seq=max(m["seq"] for m in driver.all_of("token") if m["id"] == other))
    answer = server.result(other)
    assert len(answer.logprobs) == answer.end["usage"]["outputTokens"] - (answer.end["finishReason"] == "stop")
    driver.close()


def test_the_window_bounds_prompt_and_answer(server: Server) -> None:
    long = server.generate(prompt="Where does Ada live? " * 100, maxTokens=1).end
    assert (long["kind"], long["field"]) == ("bad_request", "prompt") and "512" in long["message"]
    for most in (None, 510):
        whole = server.generate(maxTokens=most, temperature=1, seed=11).end
        assert whole["finishReason"] == "stop" or sum(whole["usage"].values()) == 512


def test_a_model_is_unloaded_when_its_requests_have_ended(server: Server, overfit: Path) -> None:
    server.load("cities", overfit)
    running = server.start(model="cities", maxTokens=60)
    server.driver.send("unload", model="cities")
    assert server.result(running).text == ROWS[0]["messages"][1]["content"]
    server.driver.of("unloaded")
    assert server.generate(model="cities").end["kind"] == "bad_request"
    assert server.generate(model="base").end["type"] == "done"
    assert server.load("cities", overfit)["type"] in ("loaded", "error")


def test_an_adapter_of_another_base_or_a_damaged_one_is_refused(server: Server, overfit: Path, tmp_path: Path) -> None:
    for name, change in (("damaged", "adapter_model.safetensors"), ("foreign", "anneal.json")):
        copy = tmp_path / name
        copy.mkdir()
        for file in overfit.iterdir():
            (copy / file.name).write_bytes(file.read_bytes())
        content = (copy / change).read_bytes()
        (copy / change).write_bytes(content[:200] if name == "damaged" else content.replace(b"0" * 64, b"1" * 64))
        refused = server.load(name, copy)
        assert (refused["type"], refused["kind"]) == ("error", "artifact")


@pytest.mark.parametrize(
    ("fields", "kind", "field"),
    [
        ({"model": "nobody"}, "bad_request", "model"),
        ({"colour": "red"}, "bad_request", None),
        ({"temperature": 3}, "bad_request", "temperature"),
        ({"stop": [""]}, "bad_request", "stop"),
        ({"jsonSchema": {"type": "strin"}}, "bad_request", "jsonSchema"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "bad_request", None),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "unsupported", "tools"),
        ({"prompt": "a", "messages": []}, "bad_request", "messages"),
    ],
)
def test_what_cannot_be_generated_is_refused_by_name(server: Server, fields: dict, kind: str, field: str | None) -> None:
    end = server.generate(**fields).end
    assert (end["type"], end["kind"], end.get("field")) == ("error", kind, field)


def test_a_base_without_a_template_reads_the_contents_of_messages_as_it_learned_them(
    driver: support.Driver, tmp_path: Path
) -> None:
    server = Server(driver, support.make_base(tmp_path / "plain", template=None))
    assert server.driver.of("loaded")["instruct"] is False
    messages = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Where does Ada live?"}]
    assert server.generate(messages=messages).text == server.generate(prompt="Be short.\n\nWhere does Ada live?\n\n").text


def test_characters_of_several_tokens_come_whole(driver: support.Driver, tiny: Path) -> None:
    server = Server(driver, tiny)
    for seed in range(4):
        answer = server.generate(temperature=2, seed=seed, maxTokens=60, logprobs=True)
        # Special tokens have no text: bytes before and after one are never one character.
        parts = [b"\xff" if entry["token"].startswith("<|") else bytes(entry["bytes"]) for entry in answer.logprobs]
        assert answer.text.replace("\ufffd", "") == b"".join(parts).decode("utf-8", "ignore")
