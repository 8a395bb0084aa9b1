"""An answer in the making: its tokens, its text, its end."""

import os
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import torch

from ..bases import Base
from ..chat import render, require_text
from ..errors import RunnerError
from ..failures import failure_fields
from .calls import AnswerReader, CallReader, HarmonyReader
from .grammar import Grammar, Vocabulary, call_grammar, json_grammar
from .outbox import Sink
from .request import GenerateRequest
from .sampling import Choice, Draw, choose
from .text import Detokenizer, StopFilter
from .tools import MARKS, Family, family_of_forced, forced_call, require_family, tool_family

Reason = Literal["stop", "length", "tool_calls", "cancelled", "failed"]


class Answer:
    """Takes tokens, and sends text as it becomes certain."""

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
        self._random = random.Random(seed % 2**64)  # of a negative number it would take the absolute value
        self._detokenizer = Detokenizer(base.tokenizer.backend_tokenizer, self.prompt, self._marks)
        self._stops = StopFilter(request.stop)
        self._tokens: list[int] = []
        self._counts: Counter[int] = Counter()
        self._entries: list[tuple[int, dict[str, Any]]] = []
        """Unsent log probabilities, each with the place where its text begins."""
        self._made_characters = 0
        self._sent_characters = 0
        self.reason: Reason | None = None
        """How the answer ended; None until then."""

    @property
    def last_token(self) -> int:
        return self._tokens[-1]

    def draw(self) -> Draw | None:
        """Returns what decides the next token besides the logits; None when the answer has failed at it."""
        try:
            allowed = None if self._grammar is None else self._grammar.allowed()
        except BaseException as error:
            self.fail(failure_fields(error))
            return None
        return Draw(self._request, self._random, self._counts, allowed)

    def take(self, choice: Choice | None) -> None:
        """Takes the next token, None where the logits were no numbers, and sends what it makes certain."""
        try:
            if choice is None:
                raise RunnerError("artifact", "The model's weights give no numbers for this text")
            self._take(choice)
        except BaseException as error:
            self.fail(failure_fields(error))

    def fail(self, fields: dict[str, str]) -> None:
        """Ends with an `error` of these fields."""
        self.reason = "failed"
        self.outbox.drop()
        self.outbox.end("error", **fields)

    def _take(self, choice: Choice) -> None:
        token = choice.token
        self._tokens.append(token)
        self._counts[token] += 1
        if token in self._base.end_tokens:
            self._finish("stop")
            return
        if self._grammar is not None:
            self._grammar.accept(token)
        if self._request.logprobs:
            entry = self._entry(token, choice.logprob) | {"top": [self._entry(*other) for other in choice.top]}
            self._entries.append((self._made_characters, entry))
        piece = self._detokenizer.push(token)
        self._made_characters += len(piece)
        self._send(self._stops.push(piece))
        if self._stops.stopped_by is not None or (self._grammar is not None and self._grammar.is_complete):
            self._finish("stop")
        elif len(self._tokens) >= self._max_tokens:
            self._finish("length")

    def _entry(self, token: int, logprob: float) -> dict[str, Any]:
        content = self._vocabulary.token_bytes(token)
        return {"token": content.decode("utf-8", "replace"), "bytes": list(content), "logprob": max(logprob, -9999.0)}

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


def take_next(answers: Sequence[Answer], logits: torch.Tensor) -> None:
    """Gives each answer its next token, from its row of the logits ([answers, words], float32)."""
    drawn = [(row, answer, draw) for row, answer in enumerate(answers) if (draw := answer.draw()) is not None]
    if len(drawn) < len(answers):
        logits = logits[torch.tensor([row for row, _, _ in drawn], dtype=torch.long, device=logits.device)]
    if not drawn:
        return
    for (_, answer, _), choice in zip(drawn, choose(logits, [draw for _, _, draw in drawn]), strict=True):
        answer.take(choice)
