import json
from pathlib import Path

import pytest
import support
from test_generation import Server

from anneal_runner.chat import render
from anneal_runner.errors import RunnerError
from anneal_runner.generation.tools import CallReader, ToolCall, require_family, tool_family

HERMES = support.CHATML + "{% if tools %}<tool_call>{'name', 'arguments'}</tool_call>{% endif %}"
LLAMA = support.CHATML + "{% if tools %}<|python_tag|>{'name', \"parameters\"}{% endif %}"
CITY = {"type": "object", "properties": {"city": {"enum": ["Oslo", "Cork"]}}, "required": ["city"], "additionalProperties": False}
WEATHER = {"type": "function", "function": {"name": "weather", "parameters": CITY}}


def read(family: str, text: str, size: int) -> tuple[str, list[ToolCall]]:
    """Returns what a reader makes of a text that comes in pieces of some size."""
    reader = CallReader(family, {"f", "g"})  # type: ignore[arg-type]
    shown = "".join(reader.push(text[at : at + size]) for at in range(0, len(text), size))
    rest, calls = reader.flush()
    return shown + rest, calls


CALLS = '<tool_call>\n{"name": "f", "arguments": {"a": "ä"}}\n</tool_call>\n<tool_call>{"name": "g", "arguments": {}}</tool_call>'


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_calls_are_read_from_pieces_of_any_size(size: int) -> None:
    expected = [ToolCall("f", '{"a": "ä"}'), ToolCall("g", "{}")]
    assert read("hermes", "Let me see. " + CALLS, size) == ("Let me see. ", expected)
    llama = '{"name": "f", "parameters": {"a": "ä"}}; {"name": "g", "parameters": {}}'
    assert read("llama", llama, size) == ("", expected)


@pytest.mark.parametrize("size", [1, 1000])
def test_text_after_the_calls_is_shown(size: int) -> None:
    assert read("hermes", CALLS + "\nThat was all.", size) == ("That was all.", [ToolCall("f", '{"a": "ä"}'), ToolCall("g", "{}")])


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("hermes", "a < b <tool"),
        ("hermes", "<tool_call>{broken</tool_call>"),
        ("llama", '{"colour": "red"}'),
        ("llama", " no {"),
        ("llama", '{"name": "Bob", "age": 3}'),
        ("llama", '{"name": "f", "age": 3}'),
        ("llama", '{"name": "h", "parameters": {}}'),
        ("hermes", '<tool_call>{"name": "h", "arguments": {}}</tool_call>'),
        ("hermes", '<tool_call>{"name": "f"}</tool_call>'),
    ],
)
def test_what_is_no_call_is_text(family: str, text: str, size: int) -> None:
    assert read(family, text, size) == (text, [])


def test_families_are_told_by_the_template() -> None:
    assert (tool_family(HERMES), tool_family(LLAMA), tool_family(support.CHATML), tool_family(None)) == (
        "hermes",
        "llama",
        None,
        None,
    )
    with pytest.raises(RunnerError, match="Mistral"):
        require_family("{% if tools %}[TOOL_CALLS]{% endif %}")
    with pytest.raises(RunnerError, match="its chat template has none"):
        require_family(support.CHATML)


@pytest.mark.parametrize("template", [HERMES, LLAMA], ids=["hermes", "llama"])
@pytest.mark.parametrize("choice", ["required", {"name": "weather"}])
def test_a_call_that_is_required_comes_with_arguments_of_its_schema(
    driver: support.Driver, tmp_path: Path, template: str, choice: object
) -> None:
    server = Server(driver, support.make_base(tmp_path / "base", template))
    for seed in range(3):
        answer = server.generate(tools=[WEATHER], toolChoice=choice, maxTokens=300, temperature=1.5, seed=seed)
        assert answer.end["finishReason"] == "tool_calls" and answer.text == ""
        (call,) = answer.end["toolCalls"]
        assert call["name"] == "weather" and json.loads(call["arguments"])["city"] in ("Oslo", "Cork")


def test_a_template_is_shown_the_arguments_of_earlier_calls_as_an_object() -> None:
    template = (
        "{% for m in messages %}{{ m['content'] }}{% for c in m['tool_calls'] or [] %}{{ c['function']['arguments']['city'] }}"
    )
    tokenizer = support.make_tokenizer(template + "{% endfor %}{% endfor %}")
    call = {"id": "1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
    messages = [{"role": "user", "content": "Now? "}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    assert render(tokenizer, messages, prompt=False) == "Now? Oslo"


def test_a_tool_that_is_not_there_cannot_be_required(driver: support.Driver, tmp_path: Path) -> None:
    server = Server(driver, support.make_base(tmp_path / "base", HERMES))
    end = server.generate(tools=[WEATHER], toolChoice={"name": "news"}).end
    assert (end["kind"], end["field"]) == ("bad_request", "toolChoice")
