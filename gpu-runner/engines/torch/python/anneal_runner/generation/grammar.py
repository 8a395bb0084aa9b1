"""Answers that a grammar constrains, by llguidance."""

import json
from typing import Any

import numpy as np
from llguidance import LLMatcher, LLTokenizer
from llguidance.hf import from_tokenizer

from ..bases import Base
from ..errors import RunnerError

WHITESPACE = r"[ \n]{0,32}"
"""White space between the parts of JSON. Bounded, so that an answer always moves on."""


class Vocabulary:
    """A base model's tokens as bytes. Made on first use: that takes up to a second."""

    def __init__(self, base: Base) -> None:
        self._base = base
        self._tokens: LLTokenizer | None = None

    @property
    def tokens(self) -> LLTokenizer:
        if self._tokens is None:
            head: Any = self._base.model.get_output_embeddings()
            size = head.weight.shape[0]
            ends = sorted(self._base.end_tokens)
            self._tokens = from_tokenizer(self._base.tokenizer, n_vocab=int(size), eos_token=ends)
        return self._tokens

    def token_bytes(self, token: int) -> bytes:
        return self.tokens.decode_bytes([token])


class Grammar:
    """The tokens that may come next."""

    def __init__(self, vocabulary: Vocabulary, source: str, field: str) -> None:
        """Raises RunnerError (bad_request, about `field`) when the grammar is not supported."""
        problem = LLMatcher.validate_grammar(source, vocabulary.tokens)
        if problem and not problem.startswith("WARNING"):
            raise RunnerError("bad_request", f"`{field}` is not supported ({problem.splitlines()[0]})", field)
        self._size = vocabulary.tokens.vocab_size
        self._matcher = LLMatcher(vocabulary.tokens, source, log_level=0)
        self._check()

    def allowed(self) -> np.ndarray:
        """Returns a mask over the vocabulary."""
        mask = np.unpackbits(np.frombuffer(self._matcher.compute_bitmask(), dtype=np.uint8), bitorder="little")
        self._check()
        return mask[: self._size].astype(bool)

    def accept(self, token: int) -> None:
        self._matcher.consume_token(token)
        self._check()

    @property
    def is_complete(self) -> bool:
        """True when only the end may come."""
        return self._matcher.is_stopped()

    def _check(self) -> None:
        if self._matcher.is_error():
            raise RunnerError("bad_request", f"The answer's grammar failed ({self._matcher.get_error().splitlines()[0]})")


def json_grammar(schema: dict[str, Any] | bool) -> str:
    """Returns the grammar of JSON of a schema, or of any object for True."""
    wanted = {"type": "object"} if schema is True else schema
    return LLMatcher.grammar_from_json_schema(json.dumps(wanted), overrides={"whitespace_pattern": WHITESPACE})


def call_grammar(before: str, schema: dict[str, Any], after: str) -> str:
    """Returns the grammar of JSON of a schema between two texts."""
    body = json.dumps(schema | {"x-guidance": {"whitespace_pattern": WHITESPACE}})
    parts = [json.dumps(before)] * bool(before) + ["call"] + [json.dumps(after)] * bool(after)
    return LLMatcher.grammar_from_lark(f"start: {' '.join(parts)}\ncall: %json {body}\n")
