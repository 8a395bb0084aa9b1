"""The next token of each row of a batch, from logits that stay on their device."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from .request import GenerateRequest

GREEDY_BELOW = 1e-4
"""Minimum temperature; below it an answer is greedy, since logits divided by it pass what float32 holds."""
UNITS = 2.0**40
"""
Probabilities are counted in units of 2^-40. Sums of integers do not depend on their order, so neither does a choice on the
number of rows that share the batch.
"""
FIRST_CANDIDATES = 512
"""Tokens that are sorted for `top_p` at first; more only where these do not reach it."""


@dataclass(frozen=True)
class Draw:
    """What decides a row's next token besides its logits."""

    request: GenerateRequest
    random: random.Random
    made: Mapping[int, int]
    """How often the answer has each of its tokens so far, for the penalties."""
    allowed: np.ndarray | None
    """Mask of the tokens that a grammar permits."""


@dataclass(frozen=True)
class Choice:
    token: int
    logprob: float
    """Natural log probability by the model's own logits: before temperature, penalties and grammar. NaN if not asked for."""
    top: list[tuple[int, float]] = field(default_factory=list)
    """The likeliest tokens with theirs, as many as were asked for."""


@torch.inference_mode()
def choose(logits: torch.Tensor, draws: Sequence[Draw]) -> list[Choice | None]:
    """Returns a token for each row of logits ([rows, words], float32); None where they are no numbers."""
    shaped = _allowed(_penalised(logits, draws), draws)
    are_numbers = shaped.amax(dim=1).isfinite()
    tokens = shaped.argmax(dim=1)
    sampled = [row for row, draw in enumerate(draws) if draw.request.temperature >= GREEDY_BELOW]
    if sampled:
        own, rows = [draws[row] for row in sampled], _places(sampled, logits)
        tokens[rows] = _sampled(_rows(shaped, sampled), own)
    found = torch.stack([tokens, are_numbers.long()]).tolist()  # the device is waited for here
    logprobs = _logprobs(logits, tokens, draws)
    unasked = (float("nan"), list[tuple[int, float]]())
    return [
        Choice(token, *logprobs.get(row, unasked)) if is_number else None
        for row, (token, is_number) in enumerate(zip(*found, strict=True))
    ]


def _penalised(logits: torch.Tensor, draws: Sequence[Draw]) -> torch.Tensor:
    rows, tokens, penalties = [], [], []
    for row, draw in enumerate(draws):
        frequency, presence = draw.request.frequency_penalty, draw.request.presence_penalty
        if frequency or presence:
            rows += [row] * len(draw.made)
            tokens += draw.made.keys()
            penalties += [frequency * count + presence for count in draw.made.values()]
    if not rows:
        return logits
    places = (_places(rows, logits), _places(tokens, logits))
    return logits.index_put(places, logits[places] - torch.tensor(penalties, device=logits.device))


def _allowed(logits: torch.Tensor, draws: Sequence[Draw]) -> torch.Tensor:
    masks = {row: draw.allowed for row, draw in enumerate(draws) if draw.allowed is not None}
    if not masks:
        return logits
    rows = _places(list(masks), logits)
    forbidden = torch.from_numpy(~np.stack(list(masks.values()))).to(logits.device)
    return logits.index_put((rows,), logits[rows].masked_fill(forbidden, -torch.inf))


def _sampled(logits: torch.Tensor, draws: Sequence[Draw]) -> torch.Tensor:
    temperatures = torch.tensor([[draw.request.temperature] for draw in draws], device=logits.device)
    units = (torch.softmax(_likeliest(logits / temperatures, draws), dim=1) * UNITS).long()
    units = _nucleus(units, draws)
    ends = units.cumsum(dim=1)
    points = torch.tensor([[draw.random.random()] for draw in draws], dtype=torch.float64, device=logits.device)
    found = torch.searchsorted(ends, (points * ends[:, -1:]).long(), right=True).squeeze(1)
    return found.clamp(max=logits.shape[1] - 1)  # where the logits are no numbers


def _likeliest(logits: torch.Tensor, draws: Sequence[Draw]) -> torch.Tensor:
    """Returns logits with those of each row's `top_k` tokens alone, and of tokens as likely as the last of these."""
    wanted = {row: draw.request.top_k for row, draw in enumerate(draws) if 0 < draw.request.top_k < logits.shape[1]}
    if not wanted:
        return logits
    rows = _places(list(wanted), logits)
    best = logits[rows].topk(max(wanted.values()), dim=1).values
    least = best.gather(1, _places([[count - 1] for count in wanted.values()], logits))
    return logits.index_put((rows,), logits[rows].masked_fill(logits[rows] < least, -torch.inf))


def _nucleus(units: torch.Tensor, draws: Sequence[Draw]) -> torch.Tensor:
    """
    Returns probabilities with those of the tokens alone that are not all less likely than a set that reaches `top_p`: a token
    stays when the more likely ones do not reach it (Holtzman et al., 2020, arXiv 1904.09751), and so the first always does.
    """
    wanted = {row: draw.request.top_p for row, draw in enumerate(draws) if draw.request.top_p < 1}
    if not wanted:
        return units
    rows = list(wanted)
    own = _rows(units, rows)
    shares = torch.tensor([[share] for share in wanted.values()], dtype=torch.float64, device=units.device)
    needed = (own.sum(dim=1, keepdim=True) * shares).long()
    count = min(FIRST_CANDIDATES, units.shape[1])
    while True:
        best = own.topk(count, dim=1).values
        ends = best.cumsum(dim=1)
        if count == units.shape[1] or bool((ends[:, -1:] >= needed).all()):
            break
        count = min(16 * count, units.shape[1])
    stays = ends - best < needed
    least = best.where(stays, best[:, :1]).amin(dim=1, keepdim=True)
    kept = own.masked_fill(own < least, 0)
    return kept if len(rows) == len(draws) else units.index_put((_places(rows, units),), kept)


def _logprobs(
    logits: torch.Tensor, tokens: torch.Tensor, draws: Sequence[Draw]
) -> dict[int, tuple[float, list[tuple[int, float]]]]:
    """Returns the log probability of the token and of the likeliest ones, by row that wants them."""
    wanted = {row: draw.request.top_logprobs for row, draw in enumerate(draws) if draw.request.logprobs}
    if not wanted:
        return {}
    own = torch.log_softmax(_rows(logits, list(wanted)), dim=1)
    chosen = own.gather(1, tokens[_places(list(wanted), tokens)][:, None]).squeeze(1).tolist()
    best = own.topk(min(max(wanted.values()), own.shape[1]), dim=1)
    indices, values = best.indices.tolist(), best.values.tolist()
    return {
        row: (chosen[at], list(zip(indices[at][:count], values[at][:count], strict=True)))
        for at, (row, count) in enumerate(wanted.items())
    }


def _rows(tensor: torch.Tensor, rows: list[int]) -> torch.Tensor:
    return tensor if len(rows) == len(tensor) else tensor[_places(rows, tensor)]


def _places(indices: list[int] | list[list[int]], like: torch.Tensor) -> torch.Tensor:
    return torch.tensor(indices, device=like.device)
