"""Chat rows as tokens, with the tokens to be learned."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from transformers import PreTrainedTokenizerFast

from ..chat import Chat, ChatMessage, Tool, answer_indices, conversation
from ..errors import RunnerError

Parsed = TypeVar("Parsed")
IGNORED = -100
"""The label of a token that is read but not learned."""


@dataclass(frozen=True)
class Row:
    """A row as tokens: `labels[i]` is `tokens[i]` where that token belongs to an answer, and `IGNORED` elsewhere."""

    tokens: list[int]
    labels: list[int]
    reference: float = 0.0
    """Summed loss of the answer in nats, of the model that training began with, for preferences."""

    @property
    def learned(self) -> int:
        """Number of tokens that are predicted and learned: the first of a row has no token before it."""
        return sum(label != IGNORED for label in self.labels[1:])


class Encoded(NamedTuple):
    """A row of a file as tokens; of preferences the chosen and the rejected answer."""

    pack: list[Row] | None
    """None when nothing is left to learn."""
    is_truncated: bool


@dataclass
class Rows:
    packs: list[list[Row]] = field(default_factory=list)
    truncated: int = 0
    """Number of rows that were cut at the limit of tokens."""
    dropped: int = 0
    """Number of rows in which nothing is left to learn."""
    hidden: int = 0
    """Number of rows whose answers the chat template does not show after its own prompt: HiddenAnswer."""


class HiddenAnswer(Exception):
    """
    A chat template shows an answer otherwise than it would be generated, so that it can be neither learned nor scored: the
    prompt opens a part for reasoning, say, that the whole conversation does not show.
    """


def read_lines(path: Path, parse: Callable[[Any], Parsed | None], expected: str, claim: Callable[[], None]) -> list[Parsed]:
    """
    Returns what `parse` makes of each line of a file of JSON lines. Raises RunnerError (training) that names the first line of
    which it makes nothing, with what was `expected`.
    """
    parsed = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            claim()
            try:
                row = parse(json.loads(line))
            except ValueError:
                row = None
            if row is None:
                raise RunnerError("training", f"Row {number} is no object with {expected}")
            parsed.append(row)
    return parsed


def read_conversations(path: Path, claim: Callable[[], None]) -> list[Chat]:
    """
    Returns the `messages` and the `tools`, which may be absent, of a file of JSON lines. Raises RunnerError (training) that names
    the first bad line.
    """
    return read_lines(path, _chat, "a list of `messages`", claim)


def _chat(row: Any) -> Chat | None:
    messages = messages_or_none(row.get("messages")) if isinstance(row, dict) else None
    tools = tools_or_none(row) if messages is not None else None
    return None if messages is None or tools is None else Chat(messages, tools)


def tools_or_none(row: dict[str, Any]) -> list[Tool] | None:
    """Returns the tools of a row, none if it has none. None for what is no list of objects."""
    tools = row.get("tools", [])
    return tools if isinstance(tools, list) and all(isinstance(tool, dict) for tool in tools) else None


def messages_or_none(value: Any) -> list[ChatMessage] | None:
    """Returns a value that is a list of one or more messages."""
    right = isinstance(value, list) and value and all(isinstance(message, dict) for message in value)
    return value if right else None


def encode_all(rows: Iterable[Parsed], encode: Callable[[Parsed], Encoded], claim: Callable[[], None]) -> Rows:
    """Returns rows as tokens; those with nothing left to learn are counted and left out. Claims progress at each row."""
    encoded = Rows()
    for row in rows:
        claim()
        try:
            pack, is_truncated = encode(row)
        except HiddenAnswer:
            encoded.hidden += 1
            continue
        encoded.truncated += is_truncated
        if pack is None:
            encoded.dropped += 1
        else:
            encoded.packs.append(pack)
    return encoded


def encode_chat(tokenizer: PreTrainedTokenizerFast, chat: Chat, max_tokens: int) -> Encoded:
    """Returns a conversation as tokens, cut at `max_tokens`. Raises HiddenAnswer as `encode_row` does."""
    row = encode_row(tokenizer, chat.messages, tools=chat.tools)
    is_truncated = len(row.tokens) > max_tokens
    if is_truncated:
        row = Row(row.tokens[:max_tokens], row.labels[:max_tokens])
    return Encoded([row] if row.learned > 0 else None, is_truncated)


def encode_row(
    tokenizer: PreTrainedTokenizerFast, messages: list[ChatMessage], last_only: bool = False, tools: Sequence[Tool] = ()
) -> Row:
    """
    Returns one conversation as tokens, of which those of the answers are learned, but for those of weight 0; with `last_only` those
    of the last answer.

    Raises HiddenAnswer when the template shows no answer, or with `last_only` not the last one, as it would be generated.
    """
    shown = conversation(tokenizer, messages, tools)
    indices = answer_indices(messages)
    learned = indices[-1:] if last_only else [index for index in indices if messages[index].get("weight") != 0]
    wanted = [answer for answer in shown.answers if answer.message in learned]
    if learned and not wanted:
        raise HiddenAnswer()
    # The text is cut where answers begin and end: a prompt is asked without its answer, so no token may span the two.
    tokens: list[int] = []
    labels: list[int] = []
    before = ""
    at = 0
    for answer in wanted:
        for start, end, is_learned in ((at, answer.start, False), (answer.start, answer.end, True)):
            piece = _piece(tokenizer, before, shown.text[start:end])
            tokens += piece
            labels += piece if is_learned else [IGNORED] * len(piece)
            before = shown.text[start:end]
        at = answer.end
    rest = _piece(tokenizer, before, shown.text[at:])
    return Row(tokens + rest, labels + [IGNORED] * len(rest))


def _piece(tokenizer: PreTrainedTokenizerFast, before: str, text: str) -> list[int]:
    """Returns the tokens of a text after another, as a model would write them after that one's tokens."""
    if not text:
        return []
    if not before:
        return _encode(tokenizer, text, special=not tokenizer.chat_template)
    # Some tokenizers write a space before a text that stands alone, so a text is read after the one before where that is possible.
    head, both = _encode(tokenizer, before), _encode(tokenizer, before + text)
    return both[len(head) :] if both[: len(head)] == head else _encode(tokenizer, text)


def _encode(tokenizer: PreTrainedTokenizerFast, text: str, special: bool = False) -> list[int]:
    return tokenizer(text, add_special_tokens=special)["input_ids"]  # type: ignore[return-value]
