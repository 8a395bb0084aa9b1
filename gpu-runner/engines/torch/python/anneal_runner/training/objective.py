"""The objective of a training: over its items, as one loss to be divided by its weight."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch

Item = TypeVar("Item")
Batch = TypeVar("Batch")


@dataclass(frozen=True)
class Objective(Generic[Item, Batch]):
    """`loss` is summed over a batch; divided by the `weight` of all batches of a step it is the mean that is reported."""

    batch: Callable[[list[Item]], Batch]
    loss: Callable[[Batch], torch.Tensor]
    weight: Callable[[Batch], int]
