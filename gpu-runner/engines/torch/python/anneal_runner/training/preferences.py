"""
Direct preference optimisation (Rafailov et al., 2023, arXiv 2305.18290) on rows of a prompt, a chosen answer and a rejected one.

The reference is the model that training began with: the base, or the base with the adapter to start from.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from torch.nn import functional
from transformers import PreTrainedTokenizerFast

from ..chat import Chat, ChatMessage
from .batches import Batch, Pack, make_batch
from .loss import row_losses
from .objective import Objective
from .rows import Encoded, Row, encode_row, messages_or_none, read_lines, tools_or_none

Pair = tuple[Chat, Chat]
"""The conversations that end with the chosen and with the rejected answer."""


def read_preferences(path: Path, claim: Callable[[], None]) -> list[Pair]:
    """
    Returns the pairs of a file of JSON lines `{prompt: text | messages, tools?, chosen: text, rejected: text}`. Raises RunnerError
    (training) that names the first bad line.
    """
    return read_lines(path, _pair, "a `prompt`, a `chosen` and a `rejected` answer", claim)


def _pair(row: Any) -> Pair | None:
    if not isinstance(row, dict):
        return None
    prompt, chosen, rejected = (row.get(name) for name in ("prompt", "chosen", "rejected"))
    messages = messages_or_none([{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt)
    tools = tools_or_none(row)
    if messages is None or tools is None or not isinstance(chosen, str) or not isinstance(rejected, str):
        return None
    return Chat(_answered(messages, chosen), tools), Chat(_answered(messages, rejected), tools)


def _answered(messages: list[ChatMessage], answer: str) -> list[ChatMessage]:
    return [*messages, {"role": "assistant", "content": answer}]


def encode_pair(tokenizer: PreTrainedTokenizerFast, pair: Pair, max_tokens: int) -> Encoded:
    """
    Returns the chosen and the rejected row; no pack for an answer that is too long: half of it would not stand for the whole.

    Raises HiddenAnswer when the template does not show an answer as it would be generated.
    """
    rows: list[Row] = [encode_row(tokenizer, chat.messages, last_only=True, tools=chat.tools) for chat in pair]
    fits = all(len(row.tokens) <= max_tokens and row.learned > 0 for row in rows)
    return Encoded(rows if fits and rows[0].tokens != rows[1].tokens else None, is_truncated=False)


@torch.no_grad()
def with_references(
    model: PeftModel,
    packs: list[Pack],
    objective: Objective[Pack, Batch],
    autocast: Callable[[], AbstractContextManager[object]],
    claim: Callable[[], None],
) -> list[Pack]:
    """Returns pairs with the losses of their answers as the model is now, without its dropout. Leaves the model in evaluation."""
    model.eval()
    referred: list[Pack] = []
    for pack in packs:
        claim()
        with autocast():
            losses = row_losses(model, objective.batch([pack])).tolist()
        referred.append([replace(row, reference=loss) for row, loss in zip(pack, losses, strict=True)])
    return referred


def preference_objective(model: PeftModel, beta: float, pad: int, device: torch.device) -> Objective[Pack, Batch]:
    """Returns the loss -log sigmoid(margin) of pairs `with_references`."""

    def batch(packs: list[Pack]) -> Batch:
        rows = [pack[0] for pack in packs] + [pack[1] for pack in packs]
        references = torch.tensor([row.reference for row in rows], device=device)
        return replace(make_batch([[row] for row in rows], pad, device), references=references)

    def loss(batch: Batch) -> torch.Tensor:
        return -functional.logsigmoid(_margins(model, beta, batch)).sum()

    return Objective(batch, loss, weight=lambda batch: len(batch.tokens) // 2)


def _margins(model: PeftModel, beta: float, batch: Batch) -> torch.Tensor:
    """
    Returns the reward of each chosen answer less that of the rejected one. A reward is `beta` times the gain in log probability
    over the reference.
    """
    assert batch.references is not None
    chosen, rejected = (beta * (batch.references - row_losses(model, batch))).chunk(2)
    return chosen - rejected


@dataclass(frozen=True)
class Rewards:
    accuracy: float
    """Share of the pairs whose chosen answer has the higher reward."""
    margin: float
    """Mean margin over the pairs."""


@torch.no_grad()
def measure_rewards(
    model: PeftModel,
    beta: float,
    packs: list[Pack],
    objective: Objective[Pack, Batch],
    autocast: Callable[[], AbstractContextManager[object]],
    claim: Callable[[], None],
) -> Rewards | None:
    """Returns how a model tells the answers of pairs `with_references` apart; None without pairs. Leaves it in evaluation."""
    model.eval()
    margins: list[float] = []
    for pack in packs:
        claim()
        with autocast():
            margins += _margins(model, beta, objective.batch([pack])).tolist()
    if not margins:
        return None
    return Rewards(sum(margin > 0 for margin in margins) / len(margins), sum(margins) / len(margins))
