"""The training rows that a model names to explain its answers: their vectors and places, 8 bits a number, and not their texts."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from .rows import LabelledRow

FILE = "training_rows.safetensors"
"""File beside the weights. A model without it answers as before."""
MAX_ROWS = 10_000
"""Maximum number of kept rows; of more, this number is kept, evenly spread."""
MAX_ROW_BYTES = 64 * 1024
"""Maximum bytes of a kept row, which is read whole to be shown."""
NEAREST = 3
"""Maximum number of rows that explain the answer to one text."""
_HEADS = ("classifications", "entities", "structures", "relations")
_PLACES = ("dataset", "row", "start", "bytes")


def rows_to_keep(rows: list[LabelledRow]) -> list[LabelledRow]:
    """Returns labelled rows whose places are known, each once: a copy of a row is no further reason."""
    distinct: dict[str, LabelledRow] = {}
    for row in rows:
        if row.source is not None and row.source.bytes <= MAX_ROW_BYTES and _heads_of(row):
            distinct.setdefault(repr(row), row)
    kept = list(distinct.values())
    if len(kept) <= MAX_ROWS:
        return kept
    return [kept[at * len(kept) // MAX_ROWS] for at in range(MAX_ROWS)]


def write_kept_rows(directory: Path, rows: list[LabelledRow], vectors: torch.Tensor) -> None:
    """Writes the vectors ([rows, width]) and the places of rows. The same ones give the same bytes."""
    largest = vectors.abs().amax(-1, keepdim=True).clamp_min(torch.finfo(torch.float32).tiny)
    values = (vectors / largest * 127).round().to(torch.int8)
    # Not the scale of the numbers, but what makes the row's length 1.
    scales = 1 / values.float().norm(dim=-1).clamp_min(1)
    places = {name: torch.tensor([getattr(row.source, name) for row in rows], dtype=torch.int64) for name in _PLACES}
    heads = torch.tensor([_bits(_heads_of(row)) for row in rows], dtype=torch.uint8)
    tensors = {"values": values.contiguous(), "scales": scales, "heads": heads, **places}
    save_file(tensors, directory / FILE, metadata={"version": "1"})


class KeptRows:
    def __init__(self, tensors: dict[str, torch.Tensor]) -> None:
        """Raises KeyError where tensors are missing."""
        self._values, self._scales, self._heads = tensors["values"], tensors["scales"], tensors["heads"]
        self._places = {name: tensors[name] for name in _PLACES}

    @property
    def byte_size(self) -> int:
        return self._values.numel()

    def has(self, heads: Collection[str]) -> bool:
        """True where a row is labelled for one of the heads."""
        return bool((self._heads & _bits(heads)).any())

    def nearest(self, vector: torch.Tensor, datasets: Collection[int], heads: Collection[str]) -> list[dict[str, Any]]:
        """
        Returns the nearest rows, nearest first; of equally near ones, the earlier first.

        `datasets` are those whose rows may be named; a row must be labelled for one of `heads`.
        """
        own = vector.float().cpu()
        near = (self._values.float() @ own) * self._scales / own.norm().clamp_min(torch.finfo(torch.float32).tiny)
        allowed = torch.isin(self._places["dataset"], torch.tensor(sorted(datasets), dtype=torch.int64))
        near[~(allowed & (self._heads & _bits(heads)).bool())] = 0
        order = near.sort(descending=True, stable=True).indices[:NEAREST].tolist()
        return [
            {name: int(place[at]) for name, place in self._places.items()} | {"similarity": min(1.0, float(near[at]))}
            for at in order
            if near[at] > 0
        ]


def read_kept_rows(directory: Path) -> KeptRows | None:
    """Returns the rows that a model keeps; None for a model whose rows are missing or damaged, which answers without them."""
    try:
        return KeptRows(load_file(directory / FILE))
    except (OSError, SafetensorError, KeyError):
        return None


def _heads_of(row: LabelledRow) -> Sequence[str]:
    labels = (row.labels, row.entities, row.structures, row.relations)
    return [head for head, own in zip(_HEADS, labels, strict=True) if own is not None]


def _bits(heads: Collection[str]) -> int:
    return sum(1 << bit for bit, head in enumerate(_HEADS) if head in heads)
