"""Losses and gradients of a step's rows, in parts that become smaller when memory runs out."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Generic

import torch

from ..errors import RunnerError
from ..failures import is_out_of_memory
from .objective import Item, Objective


class StepRunner(Generic[Item]):
    """
    Adds up losses, and gradients, over parts of `part_size` items.

    When memory runs out the part's size is halved and the step begins again, from the same random state; with single items it is
    an error (out_of_memory). The loss is a mean over the weight of the whole step, so parts of any size give the same
    gradients, but for dropout and rounding.
    """

    def __init__(
        self,
        objective: Objective[Item, Any],
        zero_gradients: Callable[[], None],
        part_size: int,
        autocast: Callable[[], AbstractContextManager[object]],
        claim: Callable[[], None],
        log: Callable[[str, str], None],
    ) -> None:
        self._objective = objective
        self._zero_gradients = zero_gradients
        self.part_size = part_size
        self._autocast = autocast
        self._claim = claim
        self._log = log

    def gradients(self, items: list[Item]) -> tuple[float, int]:
        """Sets the gradients of a step. Returns its summed loss in nats and its weight (learned tokens, pairs or rows)."""
        return self._with_retries(items, self._backward)

    @torch.no_grad()
    def losses(self, items: list[Item]) -> tuple[float, int]:
        """Returns the summed loss in nats and its weight, without gradients."""
        return self._with_retries(items, self._forward)

    def _with_retries(self, items: list[Item], run: Callable[[list[Item]], tuple[float, int]]) -> tuple[float, int]:
        random = _random_state()
        while True:
            try:
                return run(items)
            except RuntimeError as error:  # torch.OutOfMemoryError is one
                if not is_out_of_memory(error):
                    raise
            self._halve(len(items))
            _restore_random_state(random)

    def _backward(self, items: list[Item]) -> tuple[float, int]:
        self._zero_gradients()
        batches = [self._objective.batch(part) for part in self._parts(items)]
        weight = sum(self._objective.weight(batch) for batch in batches)
        losses = []
        for batch in batches:
            self._claim()
            with self._autocast():
                loss = self._objective.loss(batch)
            (loss / weight).backward()
            losses.append(loss.detach())
        return _sum(losses), weight

    def _forward(self, items: list[Item]) -> tuple[float, int]:
        losses, weight = [], 0
        for part in self._parts(items):
            self._claim()
            batch = self._objective.batch(part)
            with self._autocast():
                losses.append(self._objective.loss(batch))
            weight += self._objective.weight(batch)
        return _sum(losses), weight

    def _parts(self, items: list[Item]) -> list[list[Item]]:
        return [items[at : at + self.part_size] for at in range(0, len(items), self.part_size)]

    def _halve(self, items: int) -> None:
        self._zero_gradients()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        tried = min(self.part_size, items)
        if tried == 1:
            raise RunnerError(
                "out_of_memory",
                "Out of memory with a single row: lower the tokens of a row, or use gradient checkpointing",
            )
        self.part_size = tried // 2
        self._log("warn", f"Out of memory with {tried} rows at once: going on with {self.part_size} and accumulation")


def _sum(losses: list[torch.Tensor]) -> float:
    """Returns the sum of the losses of all parts. A GPU is waited for here alone."""
    return torch.stack(losses).double().sum().item() if losses else 0.0


def _random_state() -> list[torch.Tensor]:
    return [torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [])]


def _restore_random_state(state: list[torch.Tensor]) -> None:
    torch.set_rng_state(state[0])
    if len(state) > 1:
        torch.cuda.set_rng_state_all(state[1:])
