"""Families of chat templates, by the way in which tools are called."""

from typing import Any, Literal

from ..errors import RunnerError
from .request import GenerateRequest

Family = Literal["hermes", "qwen-coder", "llama", "mistral", "gemma", "gemma4", "harmony"]
"""`qwen-coder` is Qwen3-Coder; `gemma` is FunctionGemma; `harmony` is gpt-oss, which also parts its answers from its thoughts."""
OPENING, CLOSING = "<tool_call>", "</tool_call>"
MARKS: dict[Family, tuple[str, ...]] = {
    "hermes": (OPENING, CLOSING),
    "qwen-coder": (OPENING, CLOSING),
    "llama": (),
    "mistral": ("[TOOL_CALLS]", "[CALL_ID]", "[ARGS]"),
    "gemma": ("<start_function_call>", "<end_function_call>", "<escape>"),
    "gemma4": ("<|tool_call>", "<tool_call|>", '<|"|>'),
    "harmony": ("<|channel|>", "<|message|>", "<|start|>", "<|end|>", "<|constrain|>", "<|call|>"),
}
"""Special tokens that mark the calls of a family. The first opens a call."""
_OTHER_FAMILIES = {"<｜tool▁calls▁begin｜>": "DeepSeek", "functools[": "Phi", "<|tool_call|>": "Granite"}


def tool_family(template: str | None) -> Family | None:
    """Returns how a chat template has tools called; None for a template without tools, or with an unknown way."""
    if not template or "tools" not in template:
        return None
    known: list[tuple[Family, tuple[str, ...]]] = [
        ("qwen-coder", (OPENING, "<function=", "<parameter=")),
        ("hermes", (OPENING, "arguments")),
        ("llama", ('"parameters"', "<|python_tag|>")),
        ("mistral", ("[TOOL_CALLS]",)),
        ("gemma", ("<start_function_call>",)),
        ("gemma4", ("<|tool_call>", "<tool_call|>")),
        ("harmony", ("<|channel|>", "to=functions.")),
    ]
    return next((family for family, signs in known if all(sign in template for sign in signs)), None)


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


def family_of_forced(family: Family) -> Family:
    """Returns how a call that is required is read: as a JSON object, where the family's own marks are special tokens."""
    return "hermes" if family == "hermes" else "llama"


def _call_schema(function: dict[str, Any], key: str) -> dict[str, Any]:
    parameters = function.get("parameters") or {"type": "object"}
    properties = {"name": {"const": function.get("name")}, key: parameters}
    return {"type": "object", "properties": properties, "required": ["name", key], "additionalProperties": False}
