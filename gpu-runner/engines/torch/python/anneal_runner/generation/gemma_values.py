"""Arguments of tool calls as Gemma writes them: JSON with bare keys, and strings between tokens of their own."""

import json
from typing import Any


def gemma_arguments(text: str, quote: str) -> dict[str, Any] | None:
    """Returns the object of a text such as `{city:<escape>Oslo<escape>,days:3}`, or None where it is none."""
    reader = _Reader(text, quote)
    try:
        value = reader.value()
    except (ValueError, IndexError, RecursionError):
        return None
    return value if isinstance(value, dict) and reader.is_done() else None


class _Reader:
    """Raises ValueError or IndexError where the text is no value."""

    def __init__(self, text: str, quote: str) -> None:
        self._text = text
        self._quote = quote
        self._at = 0

    def is_done(self) -> bool:
        return not self._text[self._at :].strip()

    def value(self) -> Any:
        self._skip()
        if self._text.startswith((self._quote, '"'), self._at):
            return self._string()
        match self._text[self._at]:
            case "{":
                return dict(self._items("}", self._pair))
            case "[":
                return self._items("]", self.value)
        bare = self._until(",]}")
        return json.loads(bare)

    def _items(self, closing: str, read: Any) -> list[Any]:
        self._at += 1
        items = []
        self._skip()
        while self._text[self._at] != closing:
            items.append(read())
            self._skip()
            if self._text[self._at] == ",":
                self._at += 1
                self._skip()
            elif self._text[self._at] != closing:
                raise ValueError
        self._at += 1
        return items

    def _pair(self) -> tuple[str, Any]:
        is_quoted = self._text.startswith((self._quote, '"'), self._at)
        key = self._string() if is_quoted else self._until(":,}")
        self._skip()
        if not key or self._text[self._at] != ":":
            raise ValueError
        self._at += 1
        return key, self.value()

    def _string(self) -> str:
        if self._text.startswith(self._quote, self._at):
            start = self._at + len(self._quote)
            end = self._text.index(self._quote, start)
            self._at = end + len(self._quote)
            return self._text[start:end]
        value, self._at = json.JSONDecoder().raw_decode(self._text, self._at)
        return str(value)

    def _until(self, ends: str) -> str:
        start = self._at
        while self._text[self._at] not in ends:
            self._at += 1
        return self._text[start : self._at].strip()

    def _skip(self) -> None:
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1
