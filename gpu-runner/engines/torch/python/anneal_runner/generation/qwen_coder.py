"""
Tool calls as Qwen3-Coder writes them:

    <tool_call>
    <function=NAME>
    <parameter=KEY>
    VALUE
    </parameter>
    </function>
    </tool_call>

A value is text, whose type is that of the tool's parameters.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

CALL_OPENINGS = ("<tool_call>", "<function=")
"""Some answers lack the first."""
_FUNCTION = re.compile(r"<function=([^>\s]+)>")
_PARAMETER = re.compile(r"<parameter=([^>\n]+)>")
# A value may hold the mark itself: code about tool calls does.
_END_OF_VALUE = re.compile(r"</parameter>(?=\s*(?:<parameter=|</function>))")
_END = re.compile(r"\s*</function>\s*(?:</tool_call>)?")
_SPACE = re.compile(r"\s*")


def qwen_coder_calls(text: str, tools: Mapping[str, Any]) -> tuple[str, list[tuple[str, dict[str, Any]]]] | None:
    """
    Returns the text between and after the calls, and names and arguments of the calls; or None when one is no call.

    `tools` are schemas of parameters by the name of the tool.
    """
    calls, shown, at = [], [], 0
    while (opening := _FUNCTION.search(text, at)) is not None:
        shown.append(text[at : opening.start()].replace("<tool_call>", ""))
        name = opening.group(1)
        read = _arguments(text, opening.end())
        if read is None or name not in tools:
            return None
        texts, at = read
        calls.append((name, {key: _value(value, _schema_of(tools[name], key)) for key, value in texts.items()}))
    shown.append(text[at:])
    return ("\n".join(filter(None, map(str.strip, shown))), calls) if calls else None


def _arguments(text: str, at: int) -> tuple[dict[str, str], int] | None:
    """Returns the values from a place on, and where their call ends; or None where it does not."""
    values: dict[str, str] = {}
    while True:
        end = _END.match(text, at)
        if end is not None:
            return values, end.end()
        key = _PARAMETER.match(text, _SPACE.match(text, at).end())  # type: ignore[union-attr]
        last = key and _END_OF_VALUE.search(text, key.end())
        if key is None or last is None:
            return None
        values[key.group(1).strip()] = text[key.end() : last.start()].removeprefix("\n").removesuffix("\n")
        at = last.end()


def _schema_of(parameters: Any, key: str) -> Any:
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    return properties.get(key) if isinstance(properties, dict) else None


def _value(text: str, schema: Any) -> Any:
    """Returns a value by its schema: text stays text where that is allowed, or where it is nothing else."""
    types = _types(schema)
    if "null" in types and text.strip().lower() in ("null", "none"):
        return None
    if "string" in types:
        return text
    # The template shows the model Python's names of these.
    read = {"True": "true", "False": "false", "None": "null"}.get(text.strip(), text)
    try:
        return json.loads(read)
    except (ValueError, RecursionError):
        return text


def _types(schema: Any) -> set[str]:
    """Returns the types that a schema names, itself or in its alternatives; those of its choices where it names none."""
    if not isinstance(schema, dict):
        return set()
    named = schema.get("type")
    types = {named} if isinstance(named, str) else set(named) if isinstance(named, list) else set()
    for key in ("anyOf", "oneOf"):
        for other in schema.get(key) or []:
            types |= _types(other)
    choices = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    if not types and any(isinstance(choice, str) for choice in choices):
        return {"string"}
    return types
