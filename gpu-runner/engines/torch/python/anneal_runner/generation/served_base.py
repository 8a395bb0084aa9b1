"""A base model in memory, with the adapters that are loaded on it."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from ..adapter_bank import AdapterBank
from ..adapters import read_adapter
from ..bases import Base, keeps_logits
from ..errors import RunnerError
from .batch import Batch
from .grammar import Vocabulary


class ServedBase:
    def __init__(self, base: Base, device: torch.device) -> None:
        self.base = base
        self.vocabulary = Vocabulary(base)
        self.device = device
        self._bank = AdapterBank(base.model)
        self._count = 0
        self.batch = self.new_batch()

    def release(self) -> None:
        """Frees the weights at once, also while this object is held elsewhere. It cannot serve afterwards."""
        self.batch.clear()
        del self._bank
        self.base.release()
        gc.collect()  # modules refer to one another

    def add_adapter(self, directory: Path) -> tuple[str, int]:
        """Returns the name of a loaded adapter and its bytes. Raises RunnerError (artifact) when it does not fit."""
        config, tensors = read_adapter(directory, self.base.facts)
        self._count += 1
        name = f"adapter{self._count}"
        try:
            return name, self._bank.add(name, config, tensors)
        except (ValueError, AttributeError) as error:
            raise RunnerError("artifact", "The adapter does not fit the base model") from error

    def remove_adapter(self, name: str) -> None:
        self._bank.remove(name)

    def new_batch(self) -> Batch:
        """Returns a batch beside the one of running requests."""
        return Batch(self._forward, self.device)

    @contextmanager
    def using(self, adapter: str | None) -> Iterator[Any]:
        """Yields the model with one adapter, or none."""
        with self._bank.using([adapter]):
            yield self.base.model

    @torch.inference_mode()
    def _forward(self, adapters: list[str | None], **inputs: Any) -> torch.Tensor:
        """Returns the logits of the last place of each row, in float32, on the device."""
        if keeps_logits(self.base.model):
            inputs["logits_to_keep"] = 1
        with self._bank.using(adapters):
            output = self.base.model(**inputs)
        return output.logits[:, -1].float()
