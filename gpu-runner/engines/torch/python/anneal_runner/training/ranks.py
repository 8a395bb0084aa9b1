"""The processes (ranks) that train one model together: each computes the gradients of its share of every step."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import torch
from torch import distributed

Item = TypeVar("Item")

MAX_WAIT = timedelta(hours=24)
"""Maximum wait for another rank, which may write a checkpoint or predict rows. A rank that is gone ends the training at once."""


class Ranks:
    """One of the processes. A training in a single process has one, which asks nobody."""

    def __init__(self, rank: int = 0, count: int = 1, device: torch.device | None = None) -> None:
        self.rank = rank
        self.count = count
        self._device = device

    @property
    def is_first(self) -> bool:
        """True for the process that reports, writes checkpoints and predicts."""
        return self.rank == 0

    def join(self, store: Path) -> None:
        """Waits until all processes of the training have met at the same file."""
        is_gpu = self._device is not None and self._device.type == "cuda"
        distributed.init_process_group(
            "nccl" if is_gpu else "gloo",
            init_method=f"file://{store}",
            rank=self.rank,
            world_size=self.count,
            timeout=MAX_WAIT,
        )

    def leave(self) -> None:
        if distributed.is_initialized():
            distributed.destroy_process_group()

    def share(self, items: list[Item]) -> list[Item]:
        """Returns the items of a step, or of the validation, that are this process's."""
        return items[self.rank :: self.count]

    def begin_step(self, seed: int, step: int) -> None:
        """Seeds dropout: each process drops out others, and the same ones again when the step is repeated after a crash."""
        if self.count > 1:
            torch.manual_seed(((seed * 1_000_003 + step) * 1_000_003 + self.rank) % 2**62)

    def sums(self, *values: float) -> list[float]:
        """Returns the sum over the processes of each value."""
        if self.count == 1:
            return list(values)
        own = torch.tensor(values, dtype=torch.float64, device=self._device)
        distributed.all_reduce(own)
        return own.tolist()

    def mean_gradients(self, parameters: Sequence[torch.nn.Parameter], share: float) -> None:
        """Replaces gradients, each the mean over a process's own items, by the mean over all; `share` is that of the own weight."""
        if self.count == 1:
            return
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        flat = torch.cat([parameter.grad.float().flatten() for parameter in parameters]) * share  # type: ignore[union-attr]
        distributed.all_reduce(flat)
        for parameter, mean in zip(parameters, flat.split([each.numel() for each in parameters]), strict=True):
            parameter.grad.copy_(mean.view_as(parameter))  # type: ignore[union-attr]
