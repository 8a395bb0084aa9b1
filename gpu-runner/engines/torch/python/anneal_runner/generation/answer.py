"""An answer in the making: its tokens, its text, its end."""

import os
from typing import Any, Literal

import numpy as np
import torch

from ..bases import Base
from ..chat import render, require_text
from ..errors import RunnerError
from ..failures import failure_fields
from .calls import AnswerReader, CallReader, HarmonyReader
from .grammar import Grammar, Vocabulary, call_grammar, json_grammar
from .outbox import Sink
from .request import GenerateRequest
from .sampling import choose, token_logprob
from .text import Detokenizer, StopFilter
from .tools import MARKS, Family, family_of_forced, forced_call, require_family, tool_family

Reason = Literal["stop", "length", "tool_calls", "cancelled", "failed"]


class Answer:
    """Takes logits, gives tokens, and sends text as it becomes certain."""

    def __init__(self, base: Base, vocabulary: Vocabulary, request: GenerateRequest, outbox: Sink) -> None:
        """Raises RunnerError: bad_request or unsupported, with the field that is at fault."""
        self._base = base
        self._vocabulary = vocabulary
        self._request = request
        self.outbox = outbox
        self._grammar: Grammar | None = None
        self._calls: AnswerReader | None = None
        self._marks: tuple[str, ...] = ()
        """Special tokens that mark calls."""
        self.prompt = self._prompt_tokens()
        self._max_tokens = self._limit()
        self._prepare_form()
        seed = int.from_bytes(os.urandom(7)) if request.seed is None else request.seed
        self._generator = torch.Generator().manual_seed(seed)
        self._detokenizer = Detokenizer(base.tokenizer.backend_tokenizer, self.prompt, self._marks)
        self._stops = StopFilter(request.stop)
        self._tokens: list[int] = []
        self._entries: list[tuple[int, dict[str, Any]]] = []
        """Unsent log probabilities, each with the place where its text begins."""
        self._made_characters = 0
        self._sent_characters = 0
        self.reason: Reason | None = None
        """How the answer ended; None until then."""

    @property
    def last_token(self) -> int:
        return self._tokens[-1]

    def allowed(self) -> np.ndarray | None:
        """Returns a mask of the tokens that may come, or None where all may."""
        return None if self._grammar is None else self._grammar.allowed()

    def take(self, logits: torch.Tensor) -> None:
        """Chooses the next token by its logits (float32, on the CPU) and sends what it makes certain."""
        try:
            self._take(logits)
        except BaseException as error:
            self.fail(failure_fields(error))

    def fail(self, fields: dict[str, str]) -> None:
        """Ends with an `error` of these fields."""
        self.reason = "failed"
        self.outbox.drop()
        self.outbox.end("error", **fields)

    def _take(self, logits: torch.Tensor) -> None:
        request = self._request
        token = choose(logits, request, self._generator, self._tokens, self.allowed())
        self._tokens.append(token)
        if token in self._base.end_tokens:
            self._finish("stop")
            return
        if self._grammar is not None:
            self._grammar.accept(token)
        if request.logprobs:
            entry = token_logprob(logits, token, request.top_logprobs, self._vocabulary.token_bytes)
            self._entries.append((self._made_characters, entry))
        piece = self._detokenizer.push(token)
        self._made_characters += len(piece)
        self._send(self._stops.push(piece))
        if self._stops.stopped_by is not None or (self._grammar is not None and self._grammar.is_complete):
            self._finish("stop")
        elif len(self._tokens) >= self._max_tokens:
            self._finish("length")

    def cancel(self) -> None:
        self.outbox.drop()
        self._end("cancelled", [])

    def _send(self, text: str, calls_may_follow: bool = True) -> None:
        if self._calls is not None and calls_may_follow:
            text = self._calls.push(text)
        self._sent_characters += len(text)
        ready = [entry for at, entry in self._entries if at < self._sent_characters]
        self._entries = self._entries[len(ready) :]
        if text or ready:
            self.outbox.text(text, ready)

    def _finish(self, reason: Reason) -> None:
        if self._stops.stopped_by is None:
            self._send(self._stops.push(self._detokenizer.flush()))
        if self._stops.stopped_by is None:
            self._send(self._stops.flush())
        calls = []
        if self._calls is not None:
            rest, calls = self._calls.flush()
            self._send(rest, calls_may_follow=False)
        if calls and reason == "stop":
            reason = "tool_calls"
        self._end(reason, [{"name": call.name, "arguments": call.arguments} for call in calls])

    def _end(self, reason: Reason, calls: list[dict[str, str]]) -> None:
        self.reason = reason
        usage = {"inputTokens": len(self.prompt), "outputTokens": len(self._tokens)}
        self.outbox.end("done", finishReason=reason, stopSequence=self._stops.stopped_by, toolCalls=calls, usage=usage)

    def _prompt_tokens(self) -> list[int]:
        request, tokenizer = self._request, self._base.tokenizer
        if request.messages is None:
            encoded = tokenizer(require_text(request.prompt or "", "prompt"), add_special_tokens=True)
        else:
            tools = request.tools if request.uses_tools else None
            text = render(tokenizer, request.messages, prompt=True, tools=tools)
            encoded = tokenizer(text, add_special_tokens=not self._base.instruct)
        tokens: list[int] = encoded["input_ids"]  # type: ignore[assignment]
        if not tokens:
            start = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
            if not isinstance(start, int):
                raise RunnerError("bad_request", "`prompt` must not be empty for this model", "prompt")
            tokens = [start]
        return tokens

    def _limit(self) -> int:
        given, window, wanted = len(self.prompt), self._base.context_tokens, self._request.max_tokens
        room = window - given
        if room < 1:
            field = "messages" if self._request.prompt is None else "prompt"
            raise RunnerError("bad_request", f"The context window is {window} tokens (got {given} tokens)", field)
        return room if wanted is None else min(room, wanted)

    def _prepare_form(self) -> None:
        """Sets up the grammar and the reader of tool calls."""
        request = self._request
        if request.json_schema is not None:
            self._grammar = Grammar(self._vocabulary, json_grammar(request.json_schema), "jsonSchema")
            return
        given = self._base.tokenizer.chat_template
        template = given if isinstance(given, str) else None
        if not request.uses_tools:
            # The answers of this family have channels, with tools and without.
            if request.messages is not None and tool_family(template) == "harmony":
                self._read_calls("harmony")
            return
        family = require_family(template)
        if request.tool_choice == "auto":
            self._read_calls(family)
        else:
            self._calls = CallReader(family_of_forced(family), request.tool_parameters)
            self._grammar = Grammar(self._vocabulary, call_grammar(*forced_call(family, request)), "tools")

    def _read_calls(self, family: Family) -> None:
        tools = self._request.tool_parameters
        self._calls = HarmonyReader(tools) if family == "harmony" else CallReader(family, tools)
        self._marks = MARKS[family]
