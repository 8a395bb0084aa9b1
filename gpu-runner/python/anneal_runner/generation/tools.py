"""Tool calls, as the families of chat templates write them."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import RunnerError
from .request import GenerateRequest
from .text import StopFilter

Family = Literal["hermes", "llama"]
OPENING, CLOSING = "<tool_call>", "</tool_call>"
_OTHER_FAMILIES = {"[TOOL_CALLS]": "Mistral", "<｜tool▁calls▁begin｜>": "DeepSeek", "functools[": "Phi", "<|tool_call|>": "Granite"}


@dataclass(frozen=True)
class ToolCall:
    name: str
    arguments: str
    """JSON text."""


def tool_family(template: str | None) -> Family | None:
    """Returns how a chat template has tools called, or None when it has no tools, or in a way that is not known here."""
    if not template or "tools" not in template:
        return None
    if OPENING in template and "arguments" in template:
        return "hermes"
    return "llama" if '"parameters"' in template and "<|python_tag|>" in template else None


def require_family(template: str | None) -> Family:
    """Returns the family. Raises RunnerError (unsupported) that says why there is none."""
    family = tool_family(template)
    if family is not None:
        return family
    if not template or "tools" not in template:
        raise RunnerError("unsupported", "This model takes no `tools`: its chat template has none", "tools")
    other = next((name for mark, name in _OTHER_FAMILIES.items() if mark in template), None)
    of = f"of the {other} family" if other else "of its chat template"
    raise RunnerError("unsupported", f"This model takes no `tools` here: the calls {of} are not supported", "tools")


def forced_call(family: Family, request: GenerateRequest) -> tuple[str, dict[str, Any], str]:
    """Returns what a call that is required looks like: JSON of a schema between two texts."""
    functions = [tool.get("function") for tool in request.tools]
    wanted = [f for f in functions if isinstance(f, dict) and request.tool_name in (None, f.get("name"))]
    if not wanted:
        raise RunnerError("bad_request", f"`toolChoice` names {request.tool_name}, which is none of `tools`", "toolChoice")
    key = "arguments" if family == "hermes" else "parameters"
    schemas = [_call_schema(function, key) for function in wanted]
    schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    return (f"{OPENING}\n", schema, f"\n{CLOSING}") if family == "hermes" else ("", schema, "")


def _call_schema(function: dict[str, Any], key: str) -> dict[str, Any]:
    parameters = function.get("parameters") or {"type": "object"}
    properties = {"name": {"const": function.get("name")}, key: parameters}
    return {"type": "object", "properties": properties, "required": ["name", key], "additionalProperties": False}


class CallReader:
    """Splits an answer into its text, and its calls of tools that have these names."""

    def __init__(self, family: Family, names: Collection[str]) -> None:
        self._family = family
        self._names = names
        self._opening = StopFilter([OPENING])
        self._calls = ""
        self._is_calling = False
        self._has_shown = False

    def push(self, text: str) -> str:
        """Returns what is certain to be text."""
        if self._is_calling:
            self._calls += text
            return ""
        if self._family == "llama":
            return self._push_llama(text)
        shown = self._opening.push(text)
        if self._opening.stopped_by is not None:
            self._is_calling = True
            self._calls = OPENING + self._opening.rest
        return shown

    def flush(self) -> tuple[str, list[ToolCall]]:
        """Returns the rest of the text, and the calls. Calls that do not parse, or of tools that are not there, are text."""
        if not self._is_calling:
            return self._opening.flush(), []
        read = _hermes_calls if self._family == "hermes" else _llama_calls
        return read(self._calls, self._names) or (self._calls, [])

    def _push_llama(self, text: str) -> str:
        """An answer that begins with a brace is a call."""
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
