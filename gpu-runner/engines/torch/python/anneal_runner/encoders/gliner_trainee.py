"""A GLiNER2 model that learns labelled rows: its own heads when it is trained in full, its encoder alone with LoRA."""

from dataclasses import replace
from typing import Any

import torch

from ..errors import RunnerError
from ..machine import autocast
from ..training.context import TrainContext
from .base import EncoderBase
from .gliner import GlinerPlan, answer, encode_for
from .gliner_training import GlinerItem, cut, gliner_objective, make_record, own_schema, predicted_by
from .predictions import THRESHOLD
from .request import EncoderTrainRequest
from .rows import LabelledRow
from .texts import EncodedText
from .trainee import EncoderTrainee, earlier_of


class GlinerTrainee(EncoderTrainee[GlinerItem]):
    def __init__(
        self,
        request: EncoderTrainRequest,
        context: TrainContext,
        base: EncoderBase,
        rows: list[LabelledRow],
        validation: list[LabelledRow],
    ) -> None:
        settings = request.settings
        if settings.gradient_checkpointing:
            raise RunnerError("unsupported", "`gradientCheckpointing` is not supported with GLiNER2", "gradientCheckpointing")
        earlier = earlier_of(request)
        super().__init__(request, context, base, rows, validation, earlier)
        self._plan = GlinerPlan(own_schema(self._layout, THRESHOLD), base)
        self._plan.text_tokens = min(self._plan.text_tokens, settings.max_tokens)
        self._truncated = 0
        self._items = self._encoded(rows, "training")
        self.validation = self._encoded(validation, "validation")
        torch.manual_seed(settings.seed)
        if self._is_full:
            self.model = base.model.requires_grad_(True)
        else:
            self.model = base.model.apply_lora(r=settings.lora_r, alpha=settings.lora_alpha, dropout=settings.lora_dropout)
        if earlier is not None:
            self.set_tensors(earlier[0])
        self.objective = gliner_objective(base, self.model, lambda: self.model.training, settings.seed)

    def _encoded(self, rows: list[LabelledRow], name: str) -> list[GlinerItem]:
        items = []
        texts: list[EncodedText] = []
        truncated = 0
        for index, row in enumerate(rows):
            self._context.claim()
            text = encode_for(self._plan, self._base, row.text)
            texts.append(text)
            truncated += text.truncated
            key = f"{name} {index}"
            # The package takes no empty text.
            if text.words:
                items.append(GlinerItem(text.text, make_record(cut(row, len(text.text)), self._layout, key), key))
        if truncated:
            self._context.log("warn", f"{truncated} {name} rows were cut at {self._plan.text_tokens} tokens")
        self._truncated += truncated
        if name == "training":
            self._warn_of_unknown(texts)
        return items

    @property
    def _backbone(self) -> Any:
        return self.model

    @property
    def _encoder(self) -> Any:
        return self._base.model.encoder

    def epoch_items(self, epoch: int) -> list[GlinerItem]:
        # Labels are shown in another order in each epoch.
        return [replace(item, key=f"{item.key} {epoch}") for item in super().epoch_items(epoch)]

    def _predict(self, start: int, end: int) -> list[dict[str, Any]]:
        rows = self._rows[start:end]
        batch = [(self._plan, encode_for(self._plan, self._base, row.text)) for row in rows]
        with autocast(self._context.device):
            results = answer(self._base.model, batch)
        return [predicted_by(row, result) for row, result in zip(rows, results, strict=True)]

    def _truncated_rows(self) -> int:
        return self._truncated
