"""The next token, from logits."""

import math
from typing import Any

import numpy as np
import torch

from ..errors import RunnerError
from .request import GenerateRequest

GREEDY_BELOW = 1e-4
"""Minimum temperature; below it an answer is greedy, since logits divided by it pass what float32 holds."""


def choose(
    logits: torch.Tensor,
    request: GenerateRequest,
    generator: torch.Generator,
    made: list[int],
    allowed: np.ndarray | None,
) -> int:
    """
    Returns a token for logits of one place (float32, on the CPU). Raises RunnerError (artifact) when they are no numbers.

    `made` are the answer's tokens so far, for the penalties; `allowed` is a mask of the tokens that a grammar permits.
    """
    if made and (request.frequency_penalty or request.presence_penalty):
        tokens, counts = torch.tensor(made).unique(return_counts=True)
        logits = logits.clone()
        logits[tokens] -= request.frequency_penalty * counts + request.presence_penalty
    if allowed is not None:
        logits = logits.masked_fill(torch.from_numpy(~allowed), -torch.inf)
    if not math.isfinite(float(logits.max())):
        raise RunnerError("artifact", "The model's weights give no numbers for this text")
    if request.temperature < GREEDY_BELOW:
        return int(logits.argmax())
    probabilities = torch.softmax(logits / request.temperature, dim=0)
    order = probabilities.argsort(descending=True, stable=True)
    ordered = probabilities[order]
    if request.top_k:
        ordered[request.top_k :] = 0
    if request.top_p < 1:
        # A token stays when those before it do not reach `top_p`: the first one always does.
        ordered[ordered.cumsum(0) - ordered >= request.top_p] = 0
    return int(order[torch.multinomial(ordered, 1, generator=generator)])


def token_logprob(logits: torch.Tensor, token: int, top: int, text: Any) -> dict[str, Any]:
    """
    Returns the natural log probability of a chosen token, and of the `top` likeliest, by the model's own logits: before
    temperature, penalties and grammar. `text(token)` gives a token's bytes.
    """
    logprobs = torch.log_softmax(logits, dim=0)
    best = logprobs.topk(top) if top else None
    pairs = [] if best is None else zip(best.indices.tolist(), best.values.tolist(), strict=True)
    others = [_entry(index, value, text) for index, value in pairs]
    return _entry(token, float(logprobs[token]), text) | {"top": others}


def _entry(token: int, logprob: float, text: Any) -> dict[str, Any]:
    content: bytes = text(token)
    return {"token": content.decode("utf-8", "replace"), "bytes": list(content), "logprob": max(logprob, -9999.0)}
