import json
from pathlib import Path

import pytest
import support

from anneal_runner.chat import Chat, ChatMessage, hides
from anneal_runner.training.preferences import read_preferences
from anneal_runner.training.rows import IGNORED, HiddenAnswer, Row, encode_chat, encode_row, read_conversations

WEATHER = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
CALLING: list[ChatMessage] = [
    {"role": "user", "content": "How is Oslo?"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "content": "cold", "tool_call_id": "c1"},
    {"role": "assistant", "content": "It is cold."},
]
TEXT = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call><|im_end|>'


def learned(template: str, row: Row) -> str:
    return support.make_tokenizer(template).decode([label for label in row.labels if label != IGNORED])


def test_a_call_is_learned_after_its_tools_and_results_are_read() -> None:
    tokenizer = support.make_tokenizer(support.CALLING)
    row = encode_row(tokenizer, CALLING, tools=[WEATHER])
    assert learned(support.CALLING, row) == TEXT + "It is cold.<|im_end|>"
    text = tokenizer.decode(row.tokens)
    assert text.startswith("<|im_start|>system\n[") and "<|im_start|>tool\ncold<|im_end|>" in text


def test_an_answer_of_weight_0_is_read_and_not_learned() -> None:
    messages = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "two", "weight": 0},
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": "four", "weight": 1},
    ]
    tokenizer = support.make_tokenizer()
    row = encode_row(tokenizer, messages)
    assert learned(support.CHATML, row) == "four<|im_end|>"
    assert "two" in tokenizer.decode(row.tokens)
    assert encode_chat(tokenizer, Chat([{**message, "weight": 0} for message in messages]), 512).pack is None
    with pytest.raises(HiddenAnswer):
        encode_row(support.make_tokenizer(support.THINKING), messages)


def test_rows_have_their_tools(tmp_path: Path) -> None:
    rows = [{"messages": CALLING, "tools": [WEATHER]}, {"messages": CALLING}]
    chats = read_conversations(support.write_rows(tmp_path / "rows.jsonl", rows), lambda: None)
    assert [list(chat.tools) for chat in chats] == [[WEATHER], []]
    pairs = [{"prompt": CALLING[:3], "tools": [WEATHER], "chosen": "It is cold.", "rejected": "Warm."}]
    [(chosen, rejected)] = read_preferences(support.write_rows(tmp_path / "pairs.jsonl", pairs), lambda: None)
    assert chosen == Chat(CALLING, [WEATHER]) and list(rejected.tools) == [WEATHER]


def test_what_a_template_does_not_show_is_known() -> None:
    chat = Chat([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b", "reasoning_content": "first c"}])
    shows = support.CHATML.replace("message['content']", "(message.reasoning_content or '') + message['content']")
    hidden = [
        hides(support.make_tokenizer(template), chat, "reasoning_content", ["assistant"]) for template in (support.CHATML, shows)
    ]
    assert hidden == [True, False]
    assert not hides(support.make_tokenizer(), chat, "name", ["user"])


def test_tools_are_refused_by_a_base_that_takes_none(tiny: Path, held_out: Path, tmp_path: Path) -> None:
    rows = support.write_rows(tmp_path / "rows.jsonl", [{"messages": CALLING, "tools": [WEATHER]}])
    driver = support.in_thread()
    driver.send(**support.keywords(support.train_message(tiny, tmp_path / "out", rows, held_out)))
    error = driver.of("error")
    assert (error["kind"], "takes no `tools`" in error["message"]) == ("unsupported", True)


def test_a_trained_model_calls_its_tools_and_finds_the_call_likely(tmp_path: Path) -> None:
    base = support.make_base(tmp_path / "base", support.CALLING)
    rows = [
        {
            "tools": [WEATHER],
            "messages": [
                {"role": "user", "content": f"How is {city}?"},
                {"role": "assistant", "content": "", "tool_calls": [call_of(city)]},
            ],
        }
        for city in ("Oslo", "Cork")
    ]
    path = support.write_rows(tmp_path / "rows.jsonl", rows * 16)
    driver = support.in_thread()
    settings = {"epochs": 20, "learningRate": 1e-2, "maxTokens": 256, "samples": 1}
    trained = driver.train(support.train_message(base, tmp_path / "out", path, path, **settings))
    assert trained["metrics"]["bestValidationLoss"] < 0.1
    driver.send("load", model="m", base=support.base_message(base), adapter=trained["directory"])
    assert driver.of("loaded")["tools"] == "hermes"
    fields = {"maxTokens": 60, "tools": [WEATHER], "toolChoice": "auto", "jsonSchema": None}
    driver.send("generate", id="g", model="m", messages=rows[0]["messages"][:1], prompt=None, **fields)
    assert driver.of("done")["toolCalls"] == [{"name": "weather", "arguments": json.dumps({"city": "Oslo"})}]
    driver.send("score", id="s", model="m", messages=rows[0]["messages"], tools=[WEATHER])
    scored = driver.of("scored")
    assert scored["tokens"] > 10 and scored["nats"] / scored["tokens"] < 0.1


def call_of(city: str) -> dict[str, object]:
    return {"id": "c", "type": "function", "function": {"name": "weather", "arguments": json.dumps({"city": city})}}
