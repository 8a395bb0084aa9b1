"""The `generate` message."""

from dataclasses import dataclass
from typing import Any, Literal

from ..chat import ChatMessage, Tool
from ..errors import RunnerError
from ..fields import Fields
from ..frames import Message

MAX_STOPS = 64
MAX_STOP_CHARACTERS = 1000
MAX_TOP_LOGPROBS = 20
ToolChoice = Literal["auto", "none", "required"]


@dataclass(frozen=True)
class GenerateRequest:
    id: str
    model: str
    messages: list[ChatMessage] | None
    prompt: str | None
    """Text that is continued as it is. Either this or `messages` is given."""
    max_tokens: int | None
    """Maximum tokens of the answer; None for all that the context window has room for."""
    temperature: float
    """Temperature; 0 is greedy."""
    top_p: float
    top_k: int
    """Number of likeliest tokens that are considered; 0 for all."""
    frequency_penalty: float
    presence_penalty: float
    stop: list[str]
    seed: int | None
    logprobs: bool
    top_logprobs: int
    tools: list[Tool]
    tool_choice: str
    """`auto`, `none`, `required`, or `function` with `tool_name`."""
    tool_name: str | None
    json_schema: dict[str, Any] | Literal[True] | None
    """JSON schema of the answer; True for any JSON object."""

    @property
    def uses_tools(self) -> bool:
        return bool(self.tools) and self.tool_choice != "none"

    @property
    def tool_parameters(self) -> dict[str, Any]:
        """Returns schemas of parameters by the name of the tool."""
        functions = [tool.get("function") for tool in self.tools if isinstance(tool, dict)]
        return {str(function.get("name")): function.get("parameters") for function in functions if isinstance(function, dict)}


def read_request(message: Message) -> GenerateRequest:
    """Returns the request of a message. Raises RunnerError (bad_request), with the field, when it is not right."""
    fields = Fields(message, "`generate`")
    choice, name = _tool_choice(fields.take("toolChoice", str, dict, default="auto"))
    request = GenerateRequest(
        id=fields.take("id", str),
        model=fields.take("model", str),
        messages=fields.take("messages", list, default=None),
        prompt=fields.take("prompt", str, default=None),
        max_tokens=fields.integer("maxTokens", 1, 2**31, default=None),
        temperature=fields.number("temperature", 0, 2, default=0.0),
        top_p=fields.number("topP", 1e-6, 1, default=1.0),
        top_k=fields.integer("topK", 0, 2**31, default=0),
        frequency_penalty=fields.number("frequencyPenalty", -2, 2, default=0.0),
        presence_penalty=fields.number("presencePenalty", -2, 2, default=0.0),
        stop=_stops(fields.take("stop", list, default=[])),
        seed=fields.integer("seed", -(2**63), 2**63 - 1, default=None),
        logprobs=fields.take("logprobs", bool, default=False),
        top_logprobs=fields.integer("topLogprobs", 0, MAX_TOP_LOGPROBS, default=0),
        tools=fields.take("tools", list, default=[]),
        tool_choice=choice,
        tool_name=name,
        json_schema=_json_schema(fields.take("jsonSchema", dict, bool, default=None)),
    )
    fields.done()
    if (request.messages is None) == (request.prompt is None):
        raise RunnerError("bad_request", "Either `messages` or `prompt` is required, not both", "messages")
    if request.messages is not None and not all(isinstance(message, dict) for message in request.messages):
        raise RunnerError("bad_request", "`messages` must be objects with a `role` and a `content`", "messages")
    if request.uses_tools and request.json_schema is not None:
        raise RunnerError("bad_request", "`tools` cannot be combined with a JSON schema for the answer", "tools")
    if request.uses_tools and request.messages is None:
        raise RunnerError("bad_request", "`tools` need `messages`", "tools")
    if choice in ("required", "function") and not request.tools:
        raise RunnerError("bad_request", "`toolChoice` asks for a call, and there are no `tools`", "toolChoice")
    return request


def _stops(stops: list[Any]) -> list[str]:
    if len(stops) > MAX_STOPS or not all(isinstance(stop, str) and 0 < len(stop) <= MAX_STOP_CHARACTERS for stop in stops):
        message = f"`stop` must be at most {MAX_STOPS} texts of 1 to {MAX_STOP_CHARACTERS} characters"
        raise RunnerError("bad_request", message, "stop")
    return stops


def _tool_choice(choice: str | dict[str, Any]) -> tuple[str, str | None]:
    if isinstance(choice, dict) and isinstance(choice.get("name"), str):
        return "function", choice["name"]
    if choice in ("auto", "none", "required"):
        return str(choice), None
    raise RunnerError("bad_request", "`toolChoice` must be auto, none, required or an object with a `name`", "toolChoice")


def _json_schema(schema: dict[str, Any] | bool | None) -> dict[str, Any] | Literal[True] | None:
    return None if schema is None or schema is False else schema
