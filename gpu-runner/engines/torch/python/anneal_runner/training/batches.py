"""Rows in seeded order, as batches of tensors."""

from dataclasses import dataclass

import torch

from .rows import IGNORED, Row

Pack = list[Row]
"""Rows that are read as one sequence, each seeing only itself."""


@dataclass(frozen=True)
class Batch:
    """Tensors of [packs, tokens]. With `attention` null, positions that begin again at 0 separate the rows of a pack."""

    tokens: torch.Tensor
    labels: torch.Tensor
    positions: torch.Tensor
    attention: torch.Tensor | None
    references: torch.Tensor | None = None
    """Each pack's `Row.reference` in nats, for preferences."""

    @property
    def learned(self) -> int:
        return int((self.labels[:, 1:] != IGNORED).sum())


def epoch_order(count: int, seed: int, epoch: int) -> list[int]:
    """Returns the indices of `count` rows in the order of one epoch."""
    generator = torch.Generator().manual_seed(seed * 1_000_003 % 2**62 + epoch)
    return torch.randperm(count, generator=generator).tolist()


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
    return Batch(tokens.to(device), labels.to(device), positions.to(device), None if is_packed else attention.to(device))
