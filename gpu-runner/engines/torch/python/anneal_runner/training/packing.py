"""The check whether a base model keeps the rows of a pack apart."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch

from ..errors import RunnerError
from .batches import make_batch
from .loss import summed_loss
from .rows import IGNORED, Row

MAX_DIFFERENCE = 1e-5
"""Maximum relative difference of losses; above it the model reads the row before."""


@torch.no_grad()
def require_apart(
    model: Any, rows: list[Row], pad: int, device: torch.device, autocast: Callable[[], AbstractContextManager[object]]
) -> None:
    """
    Raises RunnerError (unsupported) when the loss of a row depends on the row before it in a pack, as it does for models that do
    not mask by positions. Leaves the model in evaluation.
    """
    model.eval()
    row = min(rows, key=lambda row: len(row.tokens))
    losses = []
    for before in (row.tokens, [pad] * len(row.tokens)):
        other = Row(before, [IGNORED] * len(before))
        with autocast():
            losses.append(summed_loss(model, make_batch([[other, row]], pad, device)).item())
    # The shapes are the same, so that a row that sees only itself has the same loss to the last bit.
    if abs(losses[0] - losses[1]) > MAX_DIFFERENCE * max(1.0, abs(losses[0])):
        raise RunnerError("unsupported", "`packing` is not supported for this base model, whose rows would read each other")
