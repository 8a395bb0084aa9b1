"""Rows in seeded order, as batches of tensors."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from .rows import IGNORED, Row

MAX_WINDOW_STEPS, MIN_WINDOWS = 50, 4
"""Most steps whose rows are sorted by length together, and the fewest such parts of an epoch: its steps stay mixed."""
Pack = list[Row]
"""Rows that are read as one sequence, each seeing only itself."""


@dataclass(frozen=True)
class Batch:
    """Tensors of [packs, tokens]. With `attention` null, positions that begin again at 0 separate the rows of a pack."""

    tokens: torch.Tensor
    labels: torch.Tensor
    positions: torch.Tensor
    attention: torch.Tensor | None
    columns: torch.Tensor
    """Places, from 0, whose next token some row learns."""
    learned: int
    """Number of tokens that are learned."""
    references: torch.Tensor | None = None
    """Each pack's `Row.reference` in nats, for preferences."""


def epoch_order(count: int, seed: int, epoch: int) -> list[int]:
    """Returns the indices of `count` rows in the order of one epoch."""
    generator = torch.Generator().manual_seed(seed * 1_000_003 % 2**62 + epoch)
    return torch.randperm(count, generator=generator).tolist()


def epoch_order_by_length(lengths: Sequence[int], seed: int, epoch: int, batch_size: int) -> list[int]:
    """
    Returns the indices of rows in the order of one epoch, in which those of a step are about as long, so that little is padded: in
    each of at least four parts of the shuffled rows they are sorted, and the steps are shuffled.
    """
    order = epoch_order(len(lengths), seed, epoch)
    window = batch_size * max(1, min(MAX_WINDOW_STEPS, len(order) // (MIN_WINDOWS * batch_size)))
    steps: list[list[int]] = []
    for at in range(0, len(order), window):
        part = sorted(order[at : at + window], key=lambda index: lengths[index])
        steps += [part[first : first + batch_size] for first in range(0, len(part), batch_size)]
    # A step of fewer rows stays the last one.
    full = steps[: len(order) // batch_size]
    shuffled = [full[index] for index in epoch_order(len(full), seed + 1, epoch)]
    return [index for step in shuffled + steps[len(full) :] for index in step]


def epoch_packs(rows: list[Row], seed: int, epoch: int, packed: bool, max_tokens: int) -> list[Pack]:
    """Returns the rows in the order of one epoch; when `packed`, each pack is filled with the next rows that fit."""
    order = epoch_order(len(rows), seed, epoch)
    if not packed:
        return [[rows[index]] for index in order]
    packs: list[Pack] = []
    room = 0
    for index in order:
        row = rows[index]
        if len(row.tokens) > room:
            packs.append([])
            room = max_tokens
        packs[-1].append(row)
        room -= len(row.tokens)
    return packs


def make_batch(packs: list[Pack], pad: int, device: torch.device) -> Batch:
    """
    Returns packs as one batch, padded on the right.

    Packs of several rows are told apart by their positions, for which there must be no padding mask: they go one to a batch.
    """
    if len(packs) > 1 and any(len(pack) > 1 for pack in packs):
        raise ValueError("packs of several rows cannot share a batch")
    width = max(sum(len(row.tokens) for row in pack) for pack in packs)
    tokens = torch.full((len(packs), width), pad)
    labels = torch.full((len(packs), width), IGNORED)
    positions = torch.zeros((len(packs), width), dtype=torch.long)
    attention = torch.zeros((len(packs), width), dtype=torch.long)
    for index, pack in enumerate(packs):
        at = 0
        for row in pack:
            end = at + len(row.tokens)
            tokens[index, at:end] = torch.tensor(row.tokens)
            labels[index, at:end] = torch.tensor(row.labels)
            labels[index, at] = IGNORED  # would be predicted from the row before
            positions[index, at:end] = torch.arange(end - at)
            at = end
        attention[index, :at] = 1
    is_packed = len(packs[0]) > 1
    # Counted here: on a GPU each question would wait for it.
    learned = labels[:, 1:] != IGNORED
    return Batch(
        tokens=tokens.to(device),
        labels=labels.to(device),
        positions=positions.to(device),
        attention=None if is_packed else attention.to(device),
        columns=learned.any(dim=0).nonzero().squeeze(1).to(device),
        learned=int(learned.sum()),
    )
