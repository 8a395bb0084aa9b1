"""The frames of a request, sent no faster than the runner takes them."""

from collections import deque
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Protocol

from ..channel import Channel

MAX_OUTSTANDING = 64
"""Maximum frames of a request that await acknowledgement. Beyond it, text gathers here and goes out in larger frames."""
MAX_FRAME_CHARACTERS = 64 * 1024
MAX_FRAME_LOGPROBS = 128
"""Maximum tokens with log probabilities in a frame: with 20 others each, of long tokens, they stay within its limit of bytes."""


class Sink(Protocol):
    """The receiver of an answer."""

    def text(self, text: str, logprobs: list[dict[str, Any]]) -> None: ...
    def end(self, message_type: str, **fields: Any) -> None: ...
    def drop(self) -> None: ...


@dataclass
class _Piece:
    """The content of a `token` frame."""

    text: str
    logprobs: list[dict[str, Any]]

    def takes(self, other: "_Piece") -> bool:
        characters, logprobs = len(self.text) + len(other.text), len(self.logprobs) + len(other.logprobs)
        return characters <= MAX_FRAME_CHARACTERS and logprobs <= MAX_FRAME_LOGPROBS


class Outbox:
    """
    The frames of one request, in order: `token` frames, then one `done` or `error`.

    Used by the main thread alone, but for `acknowledge`. What gathers is bounded by the request's limit of tokens.
    """

    def __init__(self, channel: Channel, request_id: str) -> None:
        self._channel = channel
        self._id = request_id
        self._sent = 0
        self._acknowledged = 0
        self._pieces: deque[_Piece] = deque()
        self._end: tuple[str, dict[str, Any]] | None = None
        self.is_finished = False
        """True once the last message is out."""

    def acknowledge(self, sequence: int) -> None:
        """Records that the runner has taken the frames up to `sequence`."""
        self._acknowledged = max(self._acknowledged, sequence)

    def text(self, text: str, logprobs: list[dict[str, Any]]) -> None:
        for piece in _pieces(text, logprobs):
            if self._pieces and self._pieces[-1].takes(piece):
                self._pieces[-1].text += piece.text
                self._pieces[-1].logprobs += piece.logprobs
            else:
                self._pieces.append(piece)
        self.flush()

    def end(self, message_type: str, **fields: Any) -> None:
        """Sends the last message, once all text is out."""
        self._end = (message_type, fields)
        self.flush()

    def drop(self) -> None:
        """Drops unsent text, which the runner no longer wants."""
        self._pieces.clear()

    @property
    def is_waiting(self) -> bool:
        return bool(self._pieces or self._end)

    @property
    def has_ended(self) -> bool:
        """True after the last message was added."""
        return self.is_finished or self._end is not None

    def flush(self) -> None:
        """Sends what can be sent."""
        while self._pieces:
            if self._sent - self._acknowledged >= MAX_OUTSTANDING:
                return
            piece = self._pieces.popleft()
            self._sent += 1
            logprobs = {"logprobs": piece.logprobs} if piece.logprobs else {}
            self._channel.send("token", id=self._id, seq=self._sent, text=piece.text, **logprobs)
        if self._end is None:
            return
        message_type, fields = self._end
        self._end, self.is_finished = None, True
        self._channel.send(message_type, id=self._id, **fields)


def _pieces(text: str, logprobs: list[dict[str, Any]]) -> list[_Piece]:
    """Returns what one frame each can hold: calls that turn out to be none are shown as one long text."""
    texts = [text[at : at + MAX_FRAME_CHARACTERS] for at in range(0, len(text), MAX_FRAME_CHARACTERS)]
    entries = [logprobs[at : at + MAX_FRAME_LOGPROBS] for at in range(0, len(logprobs), MAX_FRAME_LOGPROBS)]
    return [_Piece(part or "", list(some or [])) for part, some in zip_longest(texts, entries)]
