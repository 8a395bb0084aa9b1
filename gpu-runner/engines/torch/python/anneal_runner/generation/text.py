"""Tokens as text: whole characters only, and never a part of a stop string."""

from collections.abc import Collection, Sequence

from tokenizers import Tokenizer
from tokenizers.decoders import DecodeStream

PREFIX_TOKENS = 8
"""Tokens of the prompt that the decoder reads first: some decoders write a word's space only after another word."""


class StopFilter:
    """Holds back what may become a stop string, across any borders, and cuts before the first that is complete."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = stops
        self._held = ""
        self.stopped_by: str | None = None
        self.rest = ""
        """The text after the stop string in the same piece."""

    def push(self, text: str) -> str:
        """Returns the text that can be shown; empty after a stop string."""
        if self.stopped_by is not None:
            return ""
        self._held += text
        found = min(
            ((at, -len(stop), stop) for stop in self._stops if (at := self._held.find(stop)) >= 0),
            default=None,
        )
        if found is not None:
            at, _, self.stopped_by = found
            shown, self.rest, self._held = self._held[:at], self._held[at + len(self.stopped_by) :], ""
            return shown
        keep = max((_overlap(self._held, stop) for stop in self._stops), default=0)
        shown, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return shown

    def flush(self) -> str:
        """Returns what was held back: the answer ended."""
        shown, self._held = self._held, ""
        return shown


def _overlap(text: str, stop: str) -> int:
    """Returns the length of the longest end of `text` that begins `stop`, and is not all of it."""
    for length in range(min(len(text), len(stop) - 1), 0, -1):
        if stop.startswith(text[-length:]):
            return length
    return 0


class Detokenizer:
    """Turns tokens into text, in whole characters. Special tokens give none, but for those that are `shown`."""

    def __init__(self, tokenizer: Tokenizer, prompt: list[int], shown: Collection[str] = ()) -> None:
        self._tokenizer = tokenizer
        self._skips = not shown
        added = tokenizer.get_added_tokens_decoder().items() if shown else ()
        self._hidden = frozenset(token for token, facts in added if facts.special and facts.content not in shown)
        self._begin(prompt)

    def push(self, token: int) -> str:
        if token in self._hidden:
            return ""
        self._tokens.append(token)
        try:
            text = self._stream.step(self._tokenizer, token) or ""
        except Exception:
            # Bytes that are no characters have changed the text of tokens before them.
            text = self.flush()
            self._begin([*self._prefix, *self._tokens])
            return text
        self._shown += len(text)
        return text

    def flush(self) -> str:
        """Returns the rest: bytes that are no whole character, as U+FFFD."""
        before = len(self._decoded(self._prefix))
        return self._decoded([*self._prefix, *self._tokens])[before + self._shown :]

    def _decoded(self, tokens: list[int]) -> str:
        return self._tokenizer.decode(tokens, skip_special_tokens=self._skips)

    def _begin(self, seen: list[int]) -> None:
        prefix = [token for token in seen[-PREFIX_TOKENS:] if token not in self._hidden]
        # A stream shows its prefix too where that ends like a part of a character.
        self._prefix = [] if self._decoded(prefix).endswith("\ufffd") else prefix
        self._tokens: list[int] = []
        self._shown = 0
        self._stream = DecodeStream(ids=self._prefix, skip_special_tokens=self._skips)
