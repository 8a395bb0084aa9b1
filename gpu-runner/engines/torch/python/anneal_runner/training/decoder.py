"""LoRA training of a decoder."""

import hashlib
import json
import math
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from pathlib import Path

import torch
from peft import PeftModel

from ..adapters import (
    ARTIFACT_VERSION,
    Tensors,
    adapter_tensors,
    add_adapter,
    read_adapter,
    set_adapter_tensors,
    write_adapter,
)
from ..bases import Base, load_base
from ..chat import Chat, hides
from ..errors import RunnerError
from ..generation.tools import require_family
from ..machine import autocast, compute_dtype
from .batches import Batch, Pack, epoch_order_by_length, epoch_packs, make_batch
from .context import TrainContext
from .loop import Loop, Trainee
from .loss import summed_loss
from .objective import Objective
from .packing import require_apart
from .preferences import Rewards, encode_pair, measure_rewards, preference_objective, read_preferences, with_references
from .request import TrainRequest
from .rows import Rows, encode_all, encode_chat, read_conversations
from .samples import log_samples

HIDES = "does not show answers as they follow its own prompt, so they cannot be learned"


def train_decoder(request: TrainRequest, context: TrainContext) -> None:
    """Trains until done, and reports `trained`. Raises RunnerError, or Cancelled once the runner has cancelled."""
    context.claim()
    base = load_base(request.base, context.device, compute_dtype(context.device), request.settings.load_in_4bit)
    max_tokens = min(request.settings.max_tokens, base.context_tokens)
    read = _read_pairs if request.kind == "preferences" else _read_chats
    train, _ = read(base, request.train, max_tokens, "training", context)
    validation, held_out = read(base, request.validation, max_tokens, "validation", context)
    if not train.packs and train.hidden > 0:
        raise RunnerError("training", f"The base model's chat template {HIDES} ({train.hidden} rows)")
    if not train.packs:
        raise RunnerError("training", f"No row has an answer of the assistant within {max_tokens} tokens")
    decoder = _Decoder(request, context, base, train, validation, held_out, max_tokens)
    Loop(decoder, request.settings, context, request.output, request.resume_from).run()


class _Decoder(Trainee[Pack]):
    """A causal model with an adapter, which learns answers, or which of two answers is better."""

    def __init__(
        self,
        request: TrainRequest,
        context: TrainContext,
        base: Base,
        train: Rows,
        validation: Rows,
        held_out: list[Chat],
        max_tokens: int,
    ) -> None:
        self._request = request
        self._settings = settings = request.settings
        self._context = context
        self._base = base
        self._held_out = held_out
        self._max_tokens = max_tokens
        torch.manual_seed(settings.seed)
        self.model: PeftModel = add_adapter(base.model, settings.lora_r, settings.lora_alpha, settings.lora_dropout)
        if request.start_from is not None:
            self.set_tensors(self.read(request.start_from))
        if settings.gradient_checkpointing:
            base.model.activation_checkpointing_enable({"use_reentrant": False})
            base.model.enable_input_require_grads()
        self._pad: int = base.tokenizer.pad_token_id or 0  # type: ignore[assignment]
        if settings.packing:
            rows = [row for pack in train.packs for row in pack]
            require_apart(self.model, rows, self._pad, context.device, self._autocast)
        self.objective = self._objective()
        self._train = self._referred(train)
        self._validation = self._referred(validation)
        self.validation = self._validation.packs
        self.fingerprint = _fingerprint(request, train, validation)
        # Packs of several rows cannot share a batch.
        self.part_size = 1 if settings.packing else settings.batch_size

    def _objective(self) -> Objective[Pack, Batch]:
        model, device, pad = self.model, self._context.device, self._pad
        if self._request.kind == "preferences":
            return preference_objective(model, self._settings.beta, pad, device)
        return Objective(
            batch=lambda packs: make_batch(packs, pad, device),
            loss=lambda batch: summed_loss(model, batch),
            weight=lambda batch: batch.learned,
        )

    def _referred(self, data: Rows) -> Rows:
        """Returns preferences with the losses of the model before it learns."""
        if self._request.kind != "preferences":
            return data
        packs = with_references(self.model, data.packs, self.objective, self._autocast, self._context.claim)
        return replace(data, packs=packs)

    def _autocast(self) -> AbstractContextManager[object]:
        return autocast(self._context.device)

    def epoch_items(self, epoch: int) -> list[Pack]:
        settings, packs = self._settings, self._train.packs
        if settings.packing:
            return epoch_packs([row for pack in packs for row in pack], settings.seed, epoch, True, self._max_tokens)
        lengths = [sum(len(row.tokens) for row in pack) for pack in packs]
        return [packs[index] for index in epoch_order_by_length(lengths, settings.seed, epoch, settings.batch_size)]

    def tensors(self) -> Tensors:
        return adapter_tensors(self.model)

    def set_tensors(self, tensors: Tensors) -> None:
        set_adapter_tensors(self.model, tensors)

    def read(self, directory: Path) -> Tensors:
        return read_adapter(directory, self._request.base)[1]

    def write(self, directory: Path, tensors: Tensors) -> None:
        write_adapter(directory, self.model, tensors, self._request.base)

    def _rewards(self) -> Rewards | None:
        if self._request.kind != "preferences":
            return None
        beta, claim = self._settings.beta, self._context.claim
        return measure_rewards(self.model, beta, self.validation, self.objective, self._autocast, claim)

    def after_epoch(self, epoch: int, step: int) -> dict[str, object]:
        rewards = self._rewards()
        if rewards is not None:
            figures = f"reward accuracy {rewards.accuracy:.4f}, reward margin {rewards.margin:.4f}"
            self._context.log("info", f"Held-out pairs after epoch {epoch}: {figures}")
        if self._settings.samples > 0:
            log_samples(self._base, self.model, self._held_out[: self._settings.samples], epoch, self._context)
        return {}

    def metrics(self, best_loss: float | None) -> dict[str, object]:
        train, validation, rewards = self._train, self._validation, self._rewards()
        return {
            "rewardAccuracy": rewards and rewards.accuracy,
            "rewardMargin": rewards and rewards.margin,
            "perplexity": None if best_loss is None or self._request.kind == "preferences" else math.exp(min(best_loss, 700.0)),
            "trainRows": len(train.packs),
            "validationRows": len(validation.packs),
            "truncatedRows": train.truncated + validation.truncated,
            "droppedRows": sum(data.dropped + data.hidden for data in (train, validation)),
        }


def _read_chats(base: Base, path: Path, max_tokens: int, name: str, context: TrainContext) -> tuple[Rows, list[Chat]]:
    conversations = read_conversations(path, context.claim)
    _require_tools(base, conversations)
    rows = encode_all(conversations, lambda chat: encode_chat(base.tokenizer, chat, max_tokens), context.claim)
    _log_left_out(rows, name, f"no answer within {max_tokens} tokens", max_tokens, context)
    _log_hidden(base, conversations, name, context)
    return rows, conversations


def _require_tools(base: Base, chats: list[Chat]) -> None:
    """Raises RunnerError (unsupported) when chats have tools, and the base's template none that are known."""
    if any(chat.tools for chat in chats):
        require_family(base.tokenizer.chat_template)  # type: ignore[arg-type]


def _log_hidden(base: Base, chats: list[Chat], name: str, context: TrainContext) -> None:
    """Says of how many rows the template leaves out parts that only some templates show."""
    for field, roles in (("reasoning_content", ("assistant",)), ("name", ("system", "user", "assistant"))):
        count = 0
        for chat in chats:
            context.claim()
            count += hides(base.tokenizer, chat, field, roles)
        if count:
            context.log(
                "warn", f"{count} {name} rows have `{field}`, which the base model's chat template does not show: it is not learned"
            )


def _read_pairs(base: Base, path: Path, max_tokens: int, name: str, context: TrainContext) -> tuple[Rows, list[Chat]]:
    pairs = read_preferences(path, context.claim)
    _require_tools(base, [chosen for chosen, _ in pairs])
    rows = encode_all(pairs, lambda pair: encode_pair(base.tokenizer, pair, max_tokens), context.claim)
    _log_left_out(rows, name, f"both answers alike, or not within {max_tokens} tokens", max_tokens, context)
    return rows, [chosen for chosen, _ in pairs]


def _log_left_out(rows: Rows, name: str, why_dropped: str, max_tokens: int, context: TrainContext) -> None:
    if rows.truncated:
        context.log("warn", f"{rows.truncated} {name} rows were cut at {max_tokens} tokens")
    if rows.dropped:
        context.log("warn", f"{rows.dropped} {name} rows were left out: {why_dropped}")
    if rows.hidden:
        context.log("warn", f"{rows.hidden} {name} rows were left out: the base model's chat template {HIDES}")


def _fingerprint(request: TrainRequest, train: Rows, validation: Rows) -> str:
    """Returns a hash of all that decides the result: settings, base, rows, versions."""
    digest = hashlib.sha256()
    facts = [ARTIFACT_VERSION, request.kind, asdict(request.settings), request.base.sha256, torch.__version__]
    digest.update(json.dumps(facts, sort_keys=True).encode())
    for pack in [*train.packs, *validation.packs]:
        digest.update(repr([(row.tokens, row.labels) for row in pack]).encode())
    return digest.hexdigest()
