"""The shared part of trainings of plain encoders and of GLiNER2 models: settings, weights, predictions."""

import hashlib
import json
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from ..adapters import ARTIFACT_VERSION, Tensors, adapter_tensors, set_adapter_tensors
from ..training.batches import epoch_order
from ..training.context import TrainContext
from ..training.loop import Trainee
from ..training.objective import Item
from .artifact import joined, load_weights, parted, read_encoder, write_encoder
from .base import EncoderBase
from .kept_rows import rows_to_keep, write_kept_rows
from .layout import Layout
from .model import text_vectors
from .request import EncoderTrainRequest
from .rows import LabelledRow, layout_of, require_learnable
from .texts import EncodedText

UNKNOWN_SHARE = 0.1
"""Minimum share of tokens unknown to the tokenizer at which the job's log says so."""

Earlier = tuple[Tensors, Layout] | None
"""The artifact that a training begins with."""


def earlier_of(request: EncoderTrainRequest) -> Earlier:
    return None if request.start_from is None else read_encoder(request.start_from, request.base)


class EncoderTrainee(Trainee[Item]):
    """An encoder that learns labelled rows. It predicts the validation rows after each epoch."""

    _items: list[Item]
    """The training rows."""

    def __init__(
        self,
        request: EncoderTrainRequest,
        context: TrainContext,
        base: EncoderBase,
        rows: list[LabelledRow],
        validation: list[LabelledRow],
        earlier: Earlier,
    ) -> None:
        self._request = request
        self._context = context
        self._base = base
        self._training_rows = rows
        self._rows = validation
        self._layout = layout_of(rows, request.settings.multi_label, earlier and earlier[1])
        require_learnable(rows, self._layout)
        self.fingerprint = _fingerprint(request, rows, validation)
        self.part_size = request.settings.batch_size

    @property
    @abstractmethod
    def _backbone(self) -> Any:
        """Returns the module that learns by an adapter or in full."""

    @property
    @abstractmethod
    def _encoder(self) -> Any:
        """Returns the module that gives vectors to tokens."""

    @abstractmethod
    def _predict(self, start: int, end: int) -> list[dict[str, Any]]:
        """Returns the predictions for the validation rows from `start` to `end`, exclusive."""

    @abstractmethod
    def _truncated_rows(self) -> int: ...

    def _heads(self) -> Tensors:
        """Returns the weights of heads that are no part of the backbone."""
        return {}

    def _set_heads(self, tensors: Tensors) -> None:
        """Replaces the weights of `_heads`."""

    @property
    def _is_full(self) -> bool:
        return self._request.settings.training_type == "full"

    def epoch_items(self, epoch: int) -> list[Item]:
        return [self._items[index] for index in epoch_order(len(self._items), self._request.settings.seed, epoch)]

    def tensors(self) -> Tensors:
        return joined(self._full_tensors() if self._is_full else adapter_tensors(self._backbone), self._heads())

    def _full_tensors(self) -> Tensors:
        state = self._backbone.state_dict()
        return {name: value.detach().to("cpu", copy=True).contiguous() for name, value in sorted(state.items())}

    def set_tensors(self, tensors: Tensors) -> None:
        backbone, heads = parted(tensors)
        self._set_backbone(backbone)
        self._set_heads(heads)

    def _set_backbone(self, tensors: Tensors) -> None:
        if self._is_full:
            load_weights(self._backbone, tensors)
        else:
            set_adapter_tensors(self._backbone, tensors)

    def read(self, directory: Path) -> Tensors:
        return read_encoder(directory, self._request.base)[0]

    def write(self, directory: Path, tensors: Tensors) -> None:
        write_encoder(directory, self._backbone, tensors, self._layout, self._request.base)

    def after_epoch(self, epoch: int, step: int) -> dict[str, object]:
        return {"predictions": self._predictions(f"predictions-{step}.jsonl")}

    def after_training(self, directory: Path) -> dict[str, object]:
        self.model.eval()
        self._keep_rows(directory)
        return {"predictions": self._predictions("predictions-best.jsonl")}

    def _warn_of_unknown(self, texts: Sequence[EncodedText]) -> None:
        """Warns of unknown words, which look alike to the model: it learns them by their neighbours alone."""
        unknown, count = self._base.tokenizer.unk_token_id, sum(len(text.tokens) for text in texts)
        if unknown is None or count == 0:
            return
        share = sum(text.tokens.count(unknown) for text in texts) / count  # type: ignore[arg-type]
        if share >= UNKNOWN_SHARE:
            self._context.log(
                "warn",
                f"The base model's tokenizer does not know {share:.0%} of the training rows' tokens, which all look alike to the "
                "model. A base model that was made for the language of the rows learns more",
            )

    def _keep_rows(self, directory: Path) -> None:
        rows = rows_to_keep(self._training_rows)
        parts = []
        for start in range(0, len(rows), self.part_size):
            self._context.claim()
            parts.append(text_vectors(self._encoder, self._base, [row.text for row in rows[start : start + self.part_size]]))
        if parts:
            write_kept_rows(directory, rows, torch.cat(parts))

    def _predictions(self, name: str) -> str | None:
        if not self._rows:
            return None
        path = self._request.output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as lines:
            for start in range(0, len(self._rows), self.part_size):
                self._context.claim()
                for answer in self._predict(start, min(start + self.part_size, len(self._rows))):
                    lines.write(json.dumps(answer) + "\n")
        return str(path)

    def metrics(self, best_loss: float | None) -> dict[str, object]:
        rows, validation = len(self._items), len(self.validation)
        return {"trainRows": rows, "validationRows": validation, "truncatedRows": self._truncated_rows(), "droppedRows": 0}


def _fingerprint(request: EncoderTrainRequest, rows: list[LabelledRow], validation: list[LabelledRow]) -> str:
    """Returns a hash of all that decides the result: settings, base, rows, versions."""
    digest = hashlib.sha256()
    facts = [ARTIFACT_VERSION, "encoder", asdict(request.settings), request.base.sha256, torch.__version__]
    digest.update(json.dumps(facts, sort_keys=True).encode())
    for row in [*rows, *validation]:
        digest.update(repr(row).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
