"""How a model answers labelled rows: its own answers, and the loss of the rows' answers."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from ..channel import Channel
from ..chat import ChatMessage
from ..errors import RunnerError
from ..fields import Fields
from ..frames import Message
from ..training.batches import make_batch
from ..training.loss import summed_loss
from ..training.rows import HiddenAnswer, encode_row, read_conversations
from .answer import Answer
from .batch import Batch, Member
from .request import GenerateRequest
from .served_base import ServedBase

MAX_BATCH = 8
DEFAULT_MAX_TOKENS = 512


class _Collector:
    """Keeps an answer instead of sending it."""

    def __init__(self) -> None:
        self.answer = ""
        self.end_fields: dict[str, Any] = {}

    def text(self, text: str, logprobs: list[dict[str, Any]]) -> None:
        self.answer += text

    def end(self, message_type: str, **fields: Any) -> None:
        self.end_fields = fields

    def drop(self) -> None:
        pass


class Evaluation:
    """One `evaluate` message."""

    def __init__(self, message: Message) -> None:
        fields = Fields(message, "`evaluate`")
        self.id = fields.take("id", str)
        self.model = fields.take("model", str)
        self._rows = Path(fields.take("rows", str))
        self._output = Path(fields.take("output", str))
        self._max_tokens = fields.integer("maxTokens", 1, 2**31, default=DEFAULT_MAX_TOKENS)
        fields.done()

    def run(self, served: ServedBase, adapter: str | None, channel: Channel, claim: Callable[[], None]) -> None:
        """Writes a line for each row and reports `progress` and `evaluated`. Raises RunnerError for rows without an answer."""
        read = read_conversations(self._rows, claim)
        conversations = [_until_last_answer(messages, n) for n, messages in enumerate(read, 1)]
        nats, tokens = 0.0, 0
        with self._output.open("w", encoding="utf-8") as output:
            for start in range(0, len(conversations), MAX_BATCH):
                part = conversations[start : start + MAX_BATCH]
                answers = self._answers(served, adapter, part, claim)
                for messages, answer in zip(part, answers, strict=True):
                    claim()
                    loss, learned = _loss(served, adapter, messages)
                    nats, tokens = nats + loss, tokens + learned
                    line = {"answer": answer.answer, "loss": loss / learned if learned else None, "tokens": learned}
                    line["finishReason"] = answer.end_fields.get("finishReason", "error")
                    output.write(json.dumps(line, ensure_ascii=False) + "\n")
                channel.send("progress", id=self.id, fraction=min(1.0, (start + len(part)) / len(conversations)))
        loss = nats / tokens if tokens else None
        perplexity = None if loss is None else math.exp(min(loss, 700.0))
        channel.send("evaluated", id=self.id, rows=len(conversations), loss=loss, perplexity=perplexity)

    def _answers(
        self, served: ServedBase, adapter: str | None, conversations: list[list[ChatMessage]], claim: Callable[[], None]
    ) -> list[_Collector]:
        """Returns greedy answers to the messages before the last of each conversation."""
        batch: Batch = served.new_batch()
        collectors = []
        for messages in conversations:
            collector = _Collector()
            collectors.append(collector)
            try:
                answer = Answer(served.base, served.vocabulary, self._request(served, messages[:-1]), collector)
            except RunnerError:
                continue  # no room for an answer in the window: `finishReason` is "error"
            batch.join(Member(answer, adapter), lambda: (claim(), True)[1])
        while batch.members:
            claim()
            batch.step()
        return collectors

    def _request(self, served: ServedBase, messages: list[ChatMessage]) -> GenerateRequest:
        return GenerateRequest(
            id=self.id,
            model=self.model,
            messages=messages,
            prompt=None,
            max_tokens=self._max_tokens,
            temperature=0.0,
            top_p=1.0,
            top_k=0,
            frequency_penalty=0.0,
            presence_penalty=0.0,
            stop=[],
            seed=0,
            logprobs=False,
            top_logprobs=0,
            tools=[],
            tool_choice="none",
            tool_name=None,
            json_schema=None,
        )


def _until_last_answer(messages: list[ChatMessage], number: int) -> list[ChatMessage]:
    last = max((index for index, message in enumerate(messages) if message.get("role") == "assistant"), default=0)
    if last == 0:
        raise RunnerError("training", f"Row {number} has no answer of the assistant after a message")
    return messages[: last + 1]


@torch.inference_mode()
def _loss(served: ServedBase, adapter: str | None, messages: list[ChatMessage]) -> tuple[float, int]:
    """Returns the loss of the last answer in nats, summed, and its tokens: none where the row is too long, or its answer hidden."""
    try:
        row = encode_row(served.base.tokenizer, messages, last_only=True)
    except HiddenAnswer:
        return 0.0, 0
    if row.learned == 0 or len(row.tokens) > served.base.context_tokens:
        return 0.0, 0
    batch = make_batch([[row]], 0, served.device)
    with served.using(adapter) as model:
        return summed_loss(model, batch).item(), batch.learned
