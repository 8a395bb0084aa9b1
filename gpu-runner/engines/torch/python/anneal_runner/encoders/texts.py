"""Texts as an encoder reads them: tokens, and the words that spans are made of."""

import re
from dataclasses import dataclass

from tokenizers import Regex, pre_tokenizers
from transformers import PreTrainedTokenizerFast

_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*"
"""Scripts without spaces between words: each character is a word."""
_WORDS = pre_tokenizers.Split(
    Regex(_UNSPACED + r"|\p{L}[\p{L}\p{M}]*|\p{N}+|\S"),
    behavior="removed",
    invert=True,  # type: ignore[arg-type]
)
HALVES = re.compile("[\ud800-\udfff]")
"""Halves of surrogate pairs, which tokenizers cannot take."""


@dataclass(frozen=True)
class EncodedText:
    """A text as tokens and words. Offsets are code points, end exclusive."""

    text: str
    tokens: list[int]
    words: list[tuple[int, int]]
    """Offsets of each word that was read. Spans begin and end with words."""
    first: list[int]
    """Index of the first token of each word."""
    truncated: bool

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """Returns the first and the last word of a stretch, or None where it was not read (to its end)."""
        inside = [index for index, (begin, stop) in enumerate(self.words) if stop > start and begin < end]
        if not inside or (self.truncated and self.words[-1][1] < end):
            return None
        return inside[0], inside[-1]


def encode_text(tokenizer: PreTrainedTokenizerFast, text: str, max_tokens: int) -> EncodedText:
    """Returns a text as tokens, cut at `max_tokens`, and its words."""
    readable = HALVES.sub("\ufffd", text)
    encoding = tokenizer(readable, truncation=True, max_length=max_tokens, return_offsets_mapping=True)
    offsets: list[tuple[int, int]] = encoding["offset_mapping"]  # type: ignore[assignment]
    words: list[tuple[int, int]] = []
    first: list[int] = []
    at = 0
    for _, (start, end) in _WORDS.pre_tokenize_str(readable):
        # Special tokens, and those that a normaliser left nothing of, have empty offsets.
        while at < len(offsets) and offsets[at][1] <= start:
            at += 1
        if at == len(offsets):
            break
        if offsets[at][0] < end:
            words.append((start, end))
            first.append(at)
    tokens: list[int] = encoding["input_ids"]  # type: ignore[assignment]
    return EncodedText(text, tokens, words, first, bool(encoding.encodings[0].overflowing))  # type: ignore[index]
