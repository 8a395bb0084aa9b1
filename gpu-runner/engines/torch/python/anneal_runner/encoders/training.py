"""Training of an encoder with its heads: LoRA or full fine-tuning."""

from typing import Any

import torch

from ..adapters import Tensors, add_adapter
from ..errors import RunnerError
from ..machine import autocast, compute_dtype
from ..training.context import TrainContext
from ..training.loop import Loop
from ..training.objective import Objective
from .artifact import load_weights, parted
from .base import EncoderBase, load_encoder
from .findings import read_texts
from .gliner import is_gliner, load_gliner
from .gliner_trainee import GlinerTrainee
from .heads import Heads
from .model import EncoderModel
from .predictions import predicted
from .request import EncoderTrainRequest
from .rows import LabelledRow, read_rows
from .targets import Item, make_item, row_losses
from .texts import encode_text
from .trainee import EncoderTrainee, earlier_of

HEAD_LEARNING_RATE = 1e-3
"""Minimum peak of the heads' learning rate: fresh weights need a higher one than those of the encoder."""


def train_encoder(request: EncoderTrainRequest, context: TrainContext) -> None:
    """Trains until done, and reports `trained`. Raises RunnerError, or Cancelled once the runner has cancelled."""
    context.claim()
    rows, validation = read_rows(request.train), read_rows(request.validation)
    if not rows:
        raise RunnerError("training", "There is no training row")
    if is_gliner(request.base):
        gliner = GlinerTrainee(request, context, load_gliner(request.base, context.device), rows, validation)
        return Loop(gliner, request.settings, context, request.output, request.resume_from).run()
    # The whole encoder learns in float32: small steps are lost in bfloat16.
    full = request.settings.training_type == "full"
    base = load_encoder(request.base, context.device, torch.float32 if full else compute_dtype(context.device))
    plain = _PlainTrainee(request, context, base, rows, validation)
    Loop(plain, request.settings, context, request.output, request.resume_from).run()


class _PlainTrainee(EncoderTrainee[Item]):
    """A text encoder with heads of this project."""

    def __init__(
        self,
        request: EncoderTrainRequest,
        context: TrainContext,
        base: EncoderBase,
        rows: list[LabelledRow],
        validation: list[LabelledRow],
    ) -> None:
        earlier = earlier_of(request)
        super().__init__(request, context, base, rows, validation, earlier)
        settings = request.settings
        max_tokens = min(settings.max_tokens, base.max_tokens)
        self._items = self._encoded(rows, "training", base, max_tokens)
        self._warn_of_unknown([item.text for item in self._items])
        self.validation = self._encoded(validation, "validation", base, max_tokens)
        torch.manual_seed(settings.seed)
        heads = Heads(self._layout, base.width).to(context.device)
        self.model = EncoderModel(self._learning(base), heads, base.tokenizer.pad_token_id or 0)  # type: ignore[arg-type]
        if earlier is not None:
            backbone, known = parted(earlier[0])
            self._set_backbone(backbone)
            heads.grow_from(earlier[1], known)
        if settings.gradient_checkpointing:
            base.model.activation_checkpointing_enable({"use_reentrant": False})
            base.model.enable_input_require_grads()
        self.objective = Objective(batch=lambda items: items, loss=lambda items: row_losses(self.model, items), weight=len)

    def _learning(self, base: EncoderBase) -> Any:
        if self._is_full:
            return base.model.requires_grad_(True)
        settings = self._request.settings
        return add_adapter(base.model, settings.lora_r, settings.lora_alpha, settings.lora_dropout, "FEATURE_EXTRACTION")

    def _encoded(self, rows: list[LabelledRow], name: str, base: EncoderBase, max_tokens: int) -> list[Item]:
        items = []
        for row in rows:
            self._context.claim()
            items.append(make_item(row, encode_text(base.tokenizer, row.text, max_tokens), self._layout))
        truncated, lost = sum(item.text.truncated for item in items), sum(item.lost for item in items)
        if truncated:
            self._context.log("warn", f"{truncated} {name} rows were cut at {max_tokens} tokens")
        if lost:
            self._context.log(
                "warn", f"{lost} spans of {name} rows cannot be learned: past the limit, or within another of their kind"
            )
        return items

    @property
    def _backbone(self) -> Any:
        return self.model.backbone

    @property
    def _encoder(self) -> Any:
        return self.model.backbone

    def _heads(self) -> Tensors:
        return self.model.heads.tensors()

    def _set_heads(self, tensors: Tensors) -> None:
        load_weights(self.model.heads, tensors)

    def parameter_groups(self, learning_rate: float) -> list[dict[str, Any]]:
        backbone = [parameter for parameter in self.model.backbone.parameters() if parameter.requires_grad]
        heads = list(self.model.heads.parameters())
        return [
            {"params": backbone, "lr": learning_rate},
            {"params": heads, "lr": max(learning_rate, HEAD_LEARNING_RATE)},
        ]

    def _predict(self, start: int, end: int) -> list[dict[str, Any]]:
        texts = [item.text for item in self.validation[start:end]]
        found = read_texts(self.model, texts, lambda: autocast(self._context.device))
        return [predicted(row, findings) for row, findings in zip(self._rows[start:end], found, strict=True)]

    def _truncated_rows(self) -> int:
        return sum(item.text.truncated for item in [*self._items, *self.validation])
