import json
from pathlib import Path

import pytest
import support
from test_generation import Server

from anneal_runner.chat import render
from anneal_runner.errors import RunnerError
from anneal_runner.generation.calls import AnswerReader, CallReader, HarmonyReader, ToolCall
from anneal_runner.generation.text import Detokenizer
from anneal_runner.generation.tools import MARKS, require_family, tool_family

HERMES = support.CHATML + "{% if tools %}<tool_call>{'name', 'arguments'}</tool_call>{% endif %}"
LLAMA = support.CHATML + "{% if tools %}<|python_tag|>{'name', \"parameters\"}{% endif %}"
CITY = {"type": "object", "properties": {"city": {"enum": ["Oslo", "Cork"]}}, "required": ["city"], "additionalProperties": False}
WEATHER = {"type": "function", "function": {"name": "weather", "parameters": CITY}}


PARAMETERS = {
    "type": "object",
    "properties": {
        **{name: {"type": name} for name in ("string", "integer", "number", "boolean", "object", "array")},
        "any": {},
        "maybe": {"type": ["string", "null"]},
        "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "choice": {"enum": ["1", "2"]},
    },
}


def read(family: str, text: str, size: int) -> tuple[str, list[ToolCall]]:
    """Returns what a reader makes of a text that comes in pieces of some size."""
    tools = {"f": PARAMETERS, "g": None}
    reader: AnswerReader = HarmonyReader(tools) if family == "harmony" else CallReader(family, tools)  # type: ignore[arg-type]
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


SCRIPTED = {
    "mistral": 'Wait.[TOOL_CALLS] [{"name": "f", "arguments": {"a": "ä [x]"}, "id": "abcdefghi"}, {"name": "g", "arguments": {}}]',
    "mistral, one after another": 'Wait.[TOOL_CALLS]f[CALL_ID]abcdefghi[ARGS]{"a": "ä [x]"}[TOOL_CALLS]g[ARGS]{}',
    "mistral, without marks": 'Wait.[TOOL_CALLS]f{"a": "ä [x]"}[TOOL_CALLS]g {}',
    "qwen-coder": "Wait.<tool_call>\n<function=f>\n<parameter=a>\nä [x]\n</parameter>\n</function>\n</tool_call>\n"
    "<tool_call>\n<function=g>\n</function>\n</tool_call>",
    "qwen-coder, without its first mark": "Wait.<function=f>\n<parameter=a>\nä [x]\n</parameter>\n</function>\n</tool_call>"
    "<function=g></function>",
    "gemma": "Wait.<start_function_call>call:f{a:<escape>ä [x]<escape>}<end_function_call>"
    "<start_function_call>call:g{}<end_function_call>",
    "gemma4": 'Wait.<|tool_call>call:f{a:<|"|>ä [x]<|"|>}<tool_call|><|tool_call>call:g{}<tool_call|>',
    "harmony": "<|channel|>analysis<|message|>Which one?<|end|><|start|>assistant<|channel|>commentary<|message|>Wait.<|end|>"
    '<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": "ä [x]"}<|call|>'
    "<|start|>assistant to=functions.g<|channel|>commentary json<|message|>{}",
}
"""Answers that call `f` and `g`, as the templates of each family have them written."""


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
@pytest.mark.parametrize("family", SCRIPTED)
def test_calls_of_other_families_are_read_from_pieces_of_any_size(family: str, size: int) -> None:
    expected = [ToolCall("f", '{"a": "ä [x]"}'), ToolCall("g", "{}")]
    assert read(family.partition(",")[0], SCRIPTED[family], size) == ("Wait.", expected)


def test_arguments_of_qwen_coder_have_the_types_of_the_tool() -> None:
    given = {
        **{"string": "12", "integer": "12", "number": "1.5", "boolean": "True", "object": '{"a": [1]}', "array": "[1, 2]"},
        **{"any": "[1", "maybe": "null", "either": "None", "choice": "2", "other": '{"b": 1}'},
    }
    values = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in given.items())
    _, (call,) = read("qwen-coder", f"<tool_call>\n<function=f>\n{values}</function>\n</tool_call>", 5)
    assert json.loads(call.arguments) == {
        **{"string": "12", "integer": 12, "number": 1.5, "boolean": True, "object": {"a": [1]}, "array": [1, 2]},
        **{"any": "[1", "maybe": None, "either": None, "choice": "2", "other": {"b": 1}},
    }


@pytest.mark.parametrize("size", [1, 1000])
def test_a_value_of_qwen_coder_may_have_several_lines_and_the_marks_themselves(size: int) -> None:
    code = "def f():\n    return '</parameter>', '</function>', '<tool_call>'\n"
    text = f"<tool_call>\n<function=f>\n<parameter=string>\n{code}\n</parameter>\n</function>\n</tool_call>\nDone."
    shown, (call,) = read("qwen-coder", text, size)
    assert (shown, json.loads(call.arguments)) == ("Done.", {"string": code})


def test_arguments_of_gemma_are_values_of_json() -> None:
    value = '{s:<|"|>a, "b": {c}<|"|>,"q":"x",n:-1.5,t:true,z:null,l:[1, [<|"|>y<|"|>]],o:{deep:{k:<|"|><|"|>}},e:[]}'
    _, (call,) = read("gemma4", f"<|tool_call>call:f{value}<tool_call|>", 5)
    assert json.loads(call.arguments) == {
        **{"s": 'a, "b": {c}', "q": "x", "n": -1.5, "t": True, "z": None, "l": [1, ["y"]]},
        **{"o": {"deep": {"k": ""}}, "e": []},
    }


@pytest.mark.parametrize("size", [1, 1000])
def test_the_thoughts_of_gpt_oss_are_no_part_of_its_answer(size: int) -> None:
    text = "<|channel|>analysis<|message|>They greet.<|end|><|start|>assistant<|channel|>final<|message|>Hello, <b>you</b>!"
    assert read("harmony", text, size) == ("Hello, <b>you</b>!", [])
    assert read("harmony", "no channel", size) == ("no channel", [])
    assert read("harmony", "<|channel|>analysis<|message|>never ended", size) == ("", [])


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
        ("qwen-coder", "<tool_call>\n<function=h>\n</function>\n</tool_call>"),
        ("qwen-coder", "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n"),
        ("qwen-coder", "<tool_call>\n<function=f>\n<parameter=a>\n1\n</function>\n</tool_call>"),
        ("qwen-coder", "<tool_call>\n<function=f>\n{}\n</function>\n</tool_call>"),
        ("qwen-coder", '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'),
        ("mistral", '[TOOL_CALLS] [{"name": "h", "arguments": {}}]'),
        ("mistral", "[TOOL_CALLS] [broken"),
        ("mistral", "[TOOL_CALLS] []"),
        ("mistral", '[TOOL_CALLS]f[ARGS]{"a": 1'),
        ("mistral", "[TOOL_CALLS]f[ARGS][1]"),
        ("gemma", "<start_function_call>call:h{}<end_function_call>"),
        ("gemma", "<start_function_call>call:f{a:<escape>x}<end_function_call>"),
        ("gemma", "<start_function_call>call:f{a:bare}<end_function_call>"),
        ("gemma4", "<|tool_call>call:f{a:{b:{"),
        ("gemma4", "<|tool_call>call:f{a 1}<tool_call|>"),
        ("gemma4", "<|tool_call>call:f" + "{a:" * 5000),
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
    others = {
        "qwen-coder": "{% if tools %}<tool_call><function=f><parameter=p>{{ c['arguments'] }}{% endif %}",
        "mistral": "{% if tools %}[AVAILABLE_TOOLS][TOOL_CALLS]{% endif %}",
        "gemma": "{% if tools %}<start_function_call>call:{% endif %}",
        "gemma4": "{% if tools %}<|tool_call>call:<tool_call|>{% endif %}",
        "harmony": "{% if tools %}<|channel|>commentary to=functions.{% endif %}",
    }
    assert {family: tool_family(template) for family, template in others.items()} == {family: family for family in others}
    with pytest.raises(RunnerError, match="DeepSeek"):
        require_family("{% if tools %}<｜tool▁calls▁begin｜>{% endif %}")
    with pytest.raises(RunnerError, match="its chat template has none"):
        require_family(support.CHATML)


def test_a_call_of_gpt_oss_that_is_none_is_text() -> None:
    for said in ("no json", "[1]"):
        assert read("harmony", f"<|channel|>commentary to=functions.f<|message|>{said}<|call|>", 3) == (said, [])
    assert read("harmony", "<|channel|>commentary to=functions.h<|message|>{}<|call|>", 3) == ("{}", [])


def test_special_tokens_that_calls_are_read_by_are_text_and_others_are_none() -> None:
    tokenizer = support.make_tokenizer()
    tokenizer.add_special_tokens({"additional_special_tokens": ["[TOOL_CALLS]", "[ARGS]", "<noise>"]})
    tokens = tokenizer("A[TOOL_CALLS]<noise>f[ARGS]{}é<|im_end|>")["input_ids"]
    prompt = tokenizer("<|im_start|>user")["input_ids"]
    for shown, expected in ((MARKS["mistral"], "A[TOOL_CALLS]f[ARGS]{}é"), ((), "Af{}é")):
        detokenizer = Detokenizer(tokenizer.backend_tokenizer, prompt, shown)
        assert "".join(map(detokenizer.push, tokens)) + detokenizer.flush() == expected


def test_a_template_of_mistral_is_shown_ids_of_nine_letters_and_digits() -> None:
    template = (
        "{% for m in messages %}{{ m['tool_call_id'] }}{% for c in m['tool_calls'] or [] %}[TOOL_CALLS]{{ c['id'] }} {% endfor %}"
    )
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "sun", "tool_call_id": "call_1"},
    ]
    text = render(support.make_tokenizer(template + "{% endfor %}"), messages, prompt=False)
    called, answered = text.removeprefix("[TOOL_CALLS]").split(" ")
    assert called == answered and len(called) == 9 and called.isalnum()


QWEN_CODER = support.CHATML + "{% if tools %}<tool_call><function=f><parameter=p>arguments{% endif %}"
MISTRAL = support.CHATML + "{% if tools %}[TOOL_CALLS]{% endif %}"


@pytest.mark.parametrize("template", [HERMES, LLAMA, MISTRAL, QWEN_CODER], ids=["hermes", "llama", "mistral", "qwen-coder"])
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
