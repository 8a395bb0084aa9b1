"""The order of rows by length, and what a batch tells without asking its device."""

import random

import torch

from anneal_runner.training.batches import epoch_order_by_length, make_batch
from anneal_runner.training.rows import IGNORED, Row

CPU = torch.device("cpu")
LENGTHS = random.Random(1).choices([8, 9, 60, 200], k=403)


def _padding(order: list[int], size: int) -> float:
    """The share of places that are padding."""
    steps = [[LENGTHS[index] for index in order[at : at + size]] for at in range(0, len(order), size)]
    return 1 - sum(LENGTHS) / sum(len(step) * max(step) for step in steps)


def test_rows_of_a_step_are_about_as_long_and_steps_stay_mixed() -> None:
    order = epoch_order_by_length(LENGTHS, 7, 0, 8)
    assert sorted(order) == list(range(len(LENGTHS))) and order == epoch_order_by_length(LENGTHS, 7, 0, 8)
    assert _padding(order, 8) < 0.2 < _padding(list(range(len(LENGTHS))), 8)
    assert epoch_order_by_length(LENGTHS, 7, 1, 8) != order != epoch_order_by_length(LENGTHS, 8, 0, 8)
    longest = [max(LENGTHS[index] for index in order[at : at + 8]) for at in range(0, len(order), 8)]
    assert longest != sorted(longest) and len(order[-(len(LENGTHS) % 8) :]) == 3


def test_few_rows_are_shuffled_alone() -> None:
    orders = {tuple(epoch_order_by_length([5, 1, 9, 2], 3, epoch, 2)) for epoch in range(20)}
    assert len({frozenset(order[:2]) for order in orders}) > 2


def test_a_batch_knows_what_is_learned_of_it() -> None:
    rows = [Row([1, 2, 3, 4], [IGNORED, IGNORED, 3, 4]), Row([5, 6], [IGNORED, 6])]
    batch = make_batch([[row] for row in rows], 0, CPU)
    assert (batch.columns.tolist(), batch.learned) == ([0, 1, 2], 3)
    packed = make_batch([rows], 0, CPU)
    assert (packed.columns.tolist(), packed.learned) == ([1, 2, 4], 3)
