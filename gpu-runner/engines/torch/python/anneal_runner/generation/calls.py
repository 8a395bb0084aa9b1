"""Tool calls in generated text, as the families of chat templates write them."""

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .gemma_values import gemma_arguments
from .qwen_coder import CALL_OPENINGS, qwen_coder_calls
from .text import StopFilter
from .tools import CLOSING, MARKS, OPENING, Family


@dataclass(frozen=True)
class ToolCall:
    name: str
    arguments: str
    """JSON text."""


class AnswerReader(Protocol):
    """Splits an answer, which comes in pieces, into its text and its calls of tools."""

    def push(self, text: str) -> str:
        """Returns what is certain to be text."""
        ...

    def flush(self) -> tuple[str, list[ToolCall]]:
        """Returns the rest of the text, and the calls. Calls that do not parse, or of tools that are not there, are text."""
        ...


class CallReader:
    """Reads answers whose calls come last: text, then what opens a call."""

    def __init__(self, family: Family, tools: Mapping[str, Any]) -> None:
        """`tools` are schemas of parameters by the name of the tool."""
        self._family: Family = family
        self._tools = tools
        self._opening = StopFilter(CALL_OPENINGS if family == "qwen-coder" else MARKS[family][:1])
        self._calls = ""
        self._is_calling = False
        self._has_shown = False

    def push(self, text: str) -> str:
        if self._is_calling:
            self._calls += text
            return ""
        if self._family == "llama":
            return self._push_llama(text)
        shown = self._opening.push(text)
        if self._opening.stopped_by is not None:
            self._is_calling = True
            self._calls = self._opening.stopped_by + self._opening.rest
        return shown

    def flush(self) -> tuple[str, list[ToolCall]]:
        if not self._is_calling:
            return self._opening.flush(), []
        return _READERS[self._family](self._calls, self._tools) or (self._calls, [])

    def _push_llama(self, text: str) -> str:
        """Returns what is certain to be text: an answer that begins with a brace is a call."""
        if self._has_shown:
            return text
        self._calls += text
        start = self._calls.lstrip()
        if start.startswith("{"):
            self._is_calling = True
            return ""
        if not start:
            return ""
        self._has_shown = True
        shown, self._calls = self._calls, ""
        return shown


class HarmonyReader:
    """
    Reads the format of gpt-oss: messages `<|channel|>NAME [to=functions.TOOL]<|message|>TEXT<|end|>`. Thoughts (the channel
    `analysis`) are no part of the answer.

    https://cookbook.openai.com/articles/openai-harmony
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._header = StopFilter(["<|message|>"])
        self._head = ""
        self._body: StopFilter | None = None
        """Text of the present message up to its end; None while a header is read."""
        self._said = ""
        """Text of a message that is not shown as it comes."""
        self._calls: list[ToolCall] = []

    def push(self, text: str) -> str:
        shown = ""
        while text:
            if self._body is None:
                self._head += self._header.push(text)
                if self._header.stopped_by is None:
                    return shown
                text = self._header.rest
                self._body = StopFilter(["<|end|>", "<|call|>", "<|start|>"])
                self._said = ""
                continue
            shown += self._take(self._body.push(text))
            if self._body.stopped_by is None:
                return shown
            text = self._body.rest
            shown += self._end()
        return shown

    def flush(self) -> tuple[str, list[ToolCall]]:
        if self._body is not None:
            return self._take(self._body.flush()) + self._end(), self._calls
        # Without a header it is the text of a model that does not follow its format.
        rest = self._head + self._header.flush()
        return ("" if "<|" in rest or self._calls else rest), self._calls

    @property
    def _tool(self) -> str | None:
        found = re.search(r"to=(?:functions\.)?([\w.-]+)", self._head)
        return found and found.group(1)

    def _take(self, piece: str) -> str:
        if self._tool is None and "analysis" not in self._head:
            return piece
        self._said += piece
        return ""

    def _end(self) -> str:
        """Ends a message. Returns the text of a call that is none."""
        name, said = self._tool, self._said
        self._head, self._said, self._body, self._header = "", "", None, StopFilter(["<|message|>"])
        if name is None:
            return ""
        call = _call_of(name, said, self._names)
        if call is None:
            return said
        self._calls.append(call)
        return ""


def _hermes_calls(text: str, names: Collection[str]) -> tuple[str, list[ToolCall]] | None:
    """Returns the text after `<tool_call>{"name", "arguments"}</tool_call>` blocks and their calls, or None when one is no call."""
    calls, shown = [], []
    for block in text.split(OPENING)[1:]:
        inside, _, after = block.partition(CLOSING)
        call = _call(inside, "arguments", names)
        if call is None:
            return None
        calls.append(call)
        shown.append(after.strip())
    return "\n".join(filter(None, shown)), calls


def _llama_calls(text: str, names: Collection[str]) -> tuple[str, list[ToolCall]] | None:
    """Returns the calls of JSON objects with `name` and `parameters`, one after another, or None when one is no call."""
    calls, rest = [], text.strip()
    decoder = json.JSONDecoder()
    while rest:
        try:
            _, end = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            return None
        call = _call(rest[:end], "parameters", names)
        if call is None:
            return None
        calls.append(call)
        rest = rest[end:].lstrip(" \n;,")
    return "", calls


def _call(text: str, key: str, names: Collection[str]) -> ToolCall | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get(key), dict):
        return None
    name = value.get("name")
    if not isinstance(name, str) or name not in names:
        return None
    return ToolCall(name, json.dumps(value[key], ensure_ascii=False))


def _mistral_calls(text: str, names: Collection[str]) -> tuple[str, list[ToolCall]] | None:
    """
    Returns the calls of `[TOOL_CALLS] [{"name", "arguments"}, ...]`, or in newer templates of
    `[TOOL_CALLS]NAME[CALL_ID]ID[ARGS]{...}`, one after another; None when one is no call.
    """
    calls = []
    for part in text.split(MARKS["mistral"][0])[1:]:
        if part.lstrip().startswith("["):
            try:
                listed = json.loads(part)
            except (ValueError, RecursionError):
                return None
            found = [_call(json.dumps(each), "arguments", names) for each in listed]
        else:
            named = re.fullmatch(r"\s*([^\s\[{]+)\s*(?:\[CALL_ID\]\s*[\w-]*\s*)?(?:\[ARGS\])?\s*(\{.*\})\s*", part, re.DOTALL)
            found = [named and _call_of(named.group(1), named.group(2), names)]
        if not found or None in found:
            return None
        calls += found
    return "", calls


def _gemma_calls(family: Family) -> Callable[[str, Collection[str]], tuple[str, list[ToolCall]] | None]:
    """Returns the reader of `call:NAME{key:value}` between the marks of a family."""
    opening, closing, quote = MARKS[family]

    def read(text: str, names: Collection[str]) -> tuple[str, list[ToolCall]] | None:
        calls = []
        for block in text.split(opening)[1:]:
            inside = block.partition(closing)[0]
            named = re.fullmatch(r"\s*call:\s*([^\s{]+)\s*(\{.*\})\s*", inside, re.DOTALL)
            arguments = named and gemma_arguments(named.group(2), quote)
            if named is None or arguments is None or named.group(1) not in names:
                return None
            calls.append(ToolCall(named.group(1), json.dumps(arguments, ensure_ascii=False)))
        # The rest is the answer of the tool, as the model imagines it.
        return "", calls

    return read


def _call_of(name: str, arguments: str, names: Collection[str]) -> ToolCall | None:
    """Returns a call whose arguments are JSON of an object."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return ToolCall(name, json.dumps(value, ensure_ascii=False)) if isinstance(value, dict) and name in names else None


def _qwen_coder_calls(text: str, tools: Mapping[str, Any]) -> tuple[str, list[ToolCall]] | None:
    read = qwen_coder_calls(text, tools)
    return read and (read[0], [ToolCall(name, json.dumps(value, ensure_ascii=False)) for name, value in read[1]])


_READERS: dict[Family, Callable[[str, Mapping[str, Any]], tuple[str, list[ToolCall]] | None]] = {
    "hermes": _hermes_calls,
    "qwen-coder": _qwen_coder_calls,
    "llama": _llama_calls,
    "mistral": _mistral_calls,
    "gemma": _gemma_calls("gemma"),
    "gemma4": _gemma_calls("gemma4"),
}
