"""Conversations as the text that a model reads, and where in it the answers are."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from jinja2 import TemplateError
from transformers import PreTrainedTokenizerFast

from .errors import RunnerError

ChatMessage = dict[str, Any]
Tool = dict[str, Any]
PLAIN_SEPARATOR = "\n\n"
"""Separator of messages for a base without a chat template, which reads their contents alone, then the end token."""

SHORT_IDS_SIGN = "[TOOL_CALLS]"
"""Mark of templates of Mistral, which take ids of tool calls of nine letters and digits only."""


class Chat(NamedTuple):
    messages: list[ChatMessage]
    """An answer of the assistant whose `weight` is 0 is read, and not learned."""
    tools: Sequence[Tool] = ()


@dataclass(frozen=True)
class ShownAnswer:
    """A stretch of a conversation's text (end exclusive) that the assistant wrote, with the token that ends it."""

    message: int
    """Index among the messages."""
    start: int
    end: int


@dataclass(frozen=True)
class Conversation:
    text: str
    answers: list[ShownAnswer]


def render(
    tokenizer: PreTrainedTokenizerFast,
    messages: list[ChatMessage],
    *,
    prompt: bool,
    tools: Sequence[Tool] | None = None,
) -> str:
    """
    Returns the text of messages by the model's own template, or by `PLAIN_SEPARATOR` where it has none.

    With `prompt` the text ends where the assistant's next answer begins. Raises RunnerError (bad_request) when the template
    refuses the messages, or they are no text.
    """
    messages = [as_text(message) for message in messages]
    if not tokenizer.chat_template:
        text = PLAIN_SEPARATOR.join(message["content"] for message in messages)
        return require_text(text + (PLAIN_SEPARATOR if prompt else str(tokenizer.eos_token or "")), "messages")
    if SHORT_IDS_SIGN in str(tokenizer.chat_template):
        messages = [_with_short_ids(message) for message in messages]
    try:
        rendered = tokenizer.apply_chat_template(
            messages,
            tools=list(tools) if tools else None,
            tokenize=False,
            add_generation_prompt=prompt,  # type: ignore[arg-type]
        )
    except Exception as error:  # a template calculates, indexes and formats whatever the messages hold
        reason = error if isinstance(error, TemplateError) else type(error).__name__
        raise RunnerError("bad_request", f"The model's chat template refused `messages` ({reason})", "messages") from error
    return require_text(str(rendered), "messages")


def require_text(text: str, field: str) -> str:
    """Returns a text that has UTF-8. Raises RunnerError (bad_request) for half of a surrogate pair: no tokenizer takes it."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RunnerError("bad_request", f"`{field}` has half of a surrogate pair; send valid Unicode", field) from error
    return text


def as_text(message: ChatMessage) -> ChatMessage:
    """Returns a message whose content is one string. Raises RunnerError (bad_request) for a part that is no text."""
    content = message.get("content")
    if content is None:
        content = ""
    if isinstance(content, list):
        for part in content:
            if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
                raise RunnerError("bad_request", "`messages` may hold parts of type `text` only for this model")
        content = "".join(part["text"] for part in content)
    if not isinstance(content, str) or not isinstance(message.get("role"), str):
        raise RunnerError("bad_request", "`messages` must be objects with a `role` and a `content`")
    calls = message.get("tool_calls")
    shown = {} if not calls else {"tool_calls": [_with_parsed_arguments(call) for call in calls]}
    return {**{name: value for name, value in message.items() if name != "weight"}, "content": content, **shown}


def _with_parsed_arguments(call: Any) -> Any:
    """Returns a tool call whose arguments are an object, as templates expect. Text that is no JSON object stays as it is."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        raise RunnerError("bad_request", "`tool_calls` must be objects with a `function`", "messages")
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except (TypeError, ValueError, RecursionError):
        return call
    return {**call, "function": {**function, "arguments": arguments}} if isinstance(arguments, dict) else call


def _with_short_ids(message: ChatMessage) -> ChatMessage:
    """Returns a message whose ids of tool calls have nine characters. The same id gives the same one."""

    def short(value: Any) -> str:
        return hashlib.sha256(str(value).encode("utf-8", "replace")).hexdigest()[:9]

    shown = dict(message)
    if "tool_call_id" in shown:
        shown["tool_call_id"] = short(shown["tool_call_id"])
    if shown.get("tool_calls"):
        shown["tool_calls"] = [{**call, "id": short(call.get("id"))} for call in shown["tool_calls"]]
    return shown


def answer_indices(messages: list[ChatMessage]) -> list[int]:
    """Returns which messages are answers of the assistant. One that comes first answers nothing, and is none."""
    return [index for index, message in enumerate(messages) if index > 0 and message.get("role") == "assistant"]


def hides(tokenizer: PreTrainedTokenizerFast, chat: Chat, field: str, roles: Sequence[str]) -> bool:
    """Returns whether messages of these roles have a field that the template does not show. Raises RunnerError as `render` does."""

    def has(message: ChatMessage) -> bool:
        return bool(message.get(field)) and message.get("role") in roles

    if not any(map(has, chat.messages)):
        return False
    without = [{**message, field: None} if has(message) else message for message in chat.messages]
    texts = {render(tokenizer, messages, prompt=False, tools=chat.tools) for messages in (chat.messages, without)}
    return len(texts) == 1


def conversation(tokenizer: PreTrainedTokenizerFast, messages: list[ChatMessage], tools: Sequence[Tool] = ()) -> Conversation:
    """
    Returns the whole text of a conversation and where its answers are, each with the token that ends it.

    A template may show earlier turns otherwise than the last (without their reasoning, say). Answers that the whole text does not
    show as they would have been generated are left out.
    """
    text = render(tokenizer, messages, prompt=False, tools=tools)
    answers: list[ShownAnswer] = []
    for index in answer_indices(messages):
        before = render(tokenizer, messages[:index], prompt=True, tools=tools)
        until = render(tokenizer, messages[: index + 1], prompt=False, tools=tools)
        if not tokenizer.chat_template and index + 1 < len(messages):
            until = until.removesuffix(str(tokenizer.eos_token or ""))
        end = len(until.rstrip("\n"))
        if until.startswith(before) and text.startswith(until[:end]) and end > len(before):
            answers.append(ShownAnswer(index, len(before), end))
    return Conversation(text, answers)
