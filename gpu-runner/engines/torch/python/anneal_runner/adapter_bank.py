"""LoRA adapters in memory beside one model, for inference."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from peft import LoraConfig
from torch import nn
from transformers.pytorch_utils import Conv1D

from .adapters import Tensors, refuse_variants

PREFIX = "base_model.model."
"""The prefix that peft writes before the name of a layer."""
MATRICES = {".lora_A.weight": 0, ".lora_B.weight": 1}


@dataclass(frozen=True)
class _Update:
    """The update that an adapter adds to a layer: `up @ down @ input`."""

    down: torch.Tensor
    """[rank, inputs]"""
    up: torch.Tensor
    """[outputs, rank], scaled"""


@dataclass(frozen=True)
class _Turn:
    """The rows of a batch by adapter: `order` has the rows of each, filled up to as many for all."""

    adapters: list[str]
    count: int
    """Number of rows in the batch."""
    order: torch.Tensor
    """Row indices, [adapters * most rows of one]."""
    places: torch.Tensor
    """Places in `order` of the rows with an adapter; `rows` has the rows themselves."""
    rows: torch.Tensor


class AdapterBank:
    """
    Adds adapters' updates to the outputs of a model's linear layers.

    peft keeps a module for each adapter in each layer, so that loading one takes longer with each that is loaded (0.5 s for the
    first on a model of 210 layers, 1.5 s for the eighth), and goes through the adapters of a mixed batch one by one. Here an
    adapter is its tensors, and the rows of a mixed batch are computed in one product.
    """

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._updates: dict[str, dict[str, _Update]] = {}
        """Updates by layer and adapter."""
        self._hooks: dict[str, Any] = {}
        self._turn: str | _Turn | None = None

    def add(self, name: str, config: LoraConfig, tensors: Tensors) -> int:
        """
        Keeps an adapter, in the type of the model's weights. Returns its bytes.

        Raises ValueError, or AttributeError for a layer that is not there, when it does not fit the model.
        """
        refuse_variants(config)
        scale = config.lora_alpha / (math.sqrt(config.r) if config.use_rslora else config.r)
        updates: dict[str, _Update] = {}
        for layer, (down, up) in _pairs(tensors).items():
            module = self._model.get_submodule(layer)
            inputs, outputs = _widths(module)
            if down.shape != (config.r, inputs) or up.shape != (outputs, config.r):
                raise ValueError(f"{layer} has another shape")
            like = next(p for p in self._model.parameters() if p.is_floating_point())
            place = {"device": module.weight.device, "dtype": like.dtype}  # type: ignore[union-attr]
            updates[layer] = _Update(down.to(**place), (up * scale).to(**place))
        for layer, update in updates.items():
            self._updates.setdefault(layer, {})[name] = update
            if layer not in self._hooks:
                self._hooks[layer] = self._model.get_submodule(layer).register_forward_hook(self._hook(layer))
        return sum(m.numel() * m.element_size() for update in updates.values() for m in (update.down, update.up))

    def remove(self, name: str) -> None:
        for layer in list(self._updates):
            self._updates[layer].pop(name, None)
            if not self._updates[layer]:
                del self._updates[layer]
                self._hooks.pop(layer).remove()

    @contextmanager
    def using(self, adapters: list[str | None]) -> Iterator[None]:
        """Sets the adapters of the rows of the next batches, None for none. A single name is that of every row."""
        self._turn = self._turn_of(adapters)
        try:
            yield
        finally:
            self._turn = None

    def _turn_of(self, adapters: list[str | None]) -> str | _Turn | None:
        names = list(dict.fromkeys(name for name in adapters if name is not None))
        if len(set(adapters)) == 1:
            return adapters[0]
        rows = {name: [row for row, other in enumerate(adapters) if other == name] for name in names}
        most = max(len(own) for own in rows.values())
        order, places, flat = [], [], []
        for index, name in enumerate(names):
            own = rows[name]
            places += range(index * most, index * most + len(own))
            flat += own
            order += own + own[:1] * (most - len(own))
        device = next(self._model.parameters()).device
        return _Turn(names, len(adapters), *(torch.tensor(values, device=device) for values in (order, places, flat)))

    def _hook(self, layer: str) -> Any:
        def add(_: nn.Module, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> torch.Tensor:
            turn = self._turn
            if turn is None:
                return output
            updates = self._updates[layer]
            if isinstance(turn, str):
                update = updates.get(turn)
                return output if update is None else output + (inputs[0] @ update.down.mT) @ update.up.mT
            return _mixed(turn, updates, inputs[0], output)

        return add


def _mixed(turn: _Turn, updates: dict[str, _Update], inputs: torch.Tensor, output: torch.Tensor) -> torch.Tensor:
    """Returns the output of [rows, tokens, width], or [rows * tokens, width], with each row's own update."""
    own = [updates.get(name) for name in turn.adapters]
    rank = max((update.down.shape[0] for update in own if update is not None), default=0)
    if rank == 0:
        return output
    down = torch.stack([_padded(update and update.down, rank, 0, inputs) for update in own])
    up = torch.stack([_padded(update and update.up, rank, 1, output) for update in own])
    # Experts that all tokens share get the tokens of all rows in one list.
    rows = inputs.reshape(turn.count, -1, inputs.shape[-1])
    grouped = rows[turn.order].view(len(own), -1, inputs.shape[-1])
    added = torch.bmm(torch.bmm(grouped, down.mT), up.mT).view(len(turn.order), -1, output.shape[-1])
    by_row = output.reshape(turn.count, -1, output.shape[-1])
    return by_row.index_add(0, turn.rows, added[turn.places]).view_as(output)


def _padded(matrix: torch.Tensor | None, rank: int, dimension: int, like: torch.Tensor) -> torch.Tensor:
    """Returns a matrix whose `dimension` is as long as `rank`: a rank of zeros changes nothing."""
    width = like.shape[-1]
    if matrix is None:
        return like.new_zeros((rank, width) if dimension == 0 else (width, rank))
    short = rank - matrix.shape[dimension]
    if short == 0:
        return matrix
    return nn.functional.pad(matrix, (0, 0, 0, short) if dimension == 0 else (0, short))


def _pairs(tensors: Tensors) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    found: dict[str, list[torch.Tensor | None]] = {}
    for name, tensor in tensors.items():
        for ending, index in MATRICES.items():
            if name.startswith(PREFIX) and name.endswith(ending):
                layer = name.removeprefix(PREFIX).removesuffix(ending)
                found.setdefault(layer, [None, None])[index] = tensor
                break
        else:
            raise ValueError(f"{name} is of no linear layer")
    pairs = {}
    for layer, (down, up) in found.items():
        if down is None or up is None:
            raise ValueError(f"{layer} has one matrix only")
        pairs[layer] = (down, up)
    return pairs


def _widths(module: nn.Module) -> tuple[int, int]:
    """Returns how many inputs and outputs a linear layer has; the weights of one in 4 bits have another shape."""
    if isinstance(module, Conv1D):
        return module.weight.shape[0], module.weight.shape[1]
    if isinstance(module, nn.Linear):
        return module.in_features, module.out_features
    raise ValueError(f"{type(module).__name__} is no linear layer")
