"""Loaded encoders, and the calls that wait for their answers."""

import gc
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from ..adapter_bank import AdapterBank
from ..adapters import Tensors, read_adapter
from ..bases import BaseFacts
from ..channel import Channel
from ..errors import RunnerError
from ..failures import failure_fields, is_out_of_memory
from ..fields import Fields
from ..frames import MAX_FRAME_BYTES, FrameError, Message
from ..heartbeat import Heartbeat
from ..machine import autocast, compute_dtype
from .answers import Plan
from .artifact import KIND, is_full, load_heads, load_weights, parted, read_encoder
from .base import EncoderBase, load_encoder
from .explanation import Explanation, explanation_of
from .findings import read_texts
from .gliner import GlinerPlan, answer, encode_for, is_gliner, load_gliner
from .heads import Heads
from .kept_rows import KeptRows, read_kept_rows
from .layout import Layout
from .model import EncoderModel, text_vectors
from .schema import MAX_TEXTS, Schema, read_schema
from .texts import EncodedText, encode_text

MAX_BATCH_TEXTS = 32
MAX_BATCH_TOKENS = 16_384
"""Maximum tokens of one batch, padding included."""


@dataclass
class _Host:
    """A text encoder, with the adapters that are loaded on it."""

    base: EncoderBase
    bank: AdapterBank
    count: int = 0

    def add_adapter(self, directory: Path) -> str:
        """Returns the name of a loaded adapter. Raises RunnerError (artifact) when it does not fit."""
        self.count += 1
        name = f"adapter{self.count}"
        try:
            self.bank.add(name, *read_adapter(directory, self.base.facts, KIND))
        except (ValueError, AttributeError) as error:
            raise RunnerError("artifact", "The adapter does not fit the base model") from error
        return name


@dataclass
class _Model:
    host: _Host
    adapter: str | None
    heads: Heads | None
    """Heads of a trained encoder; None for GLiNER2."""
    layout: Layout
    is_alone: bool
    """True when nothing else uses the weights of its encoder."""
    rows: KeptRows | None = None
    """Training rows that explain its answers."""


@dataclass
class _Call:
    """A request from when it was read to its answer."""

    id: str
    is_cancelled: bool = False
    model: _Model | None = None
    plan: Plan | GlinerPlan | None = None
    explanation: Explanation | None = None
    """The question for the nearest training rows; None without one, and where no row can be named."""
    texts: list[EncodedText] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)


class EncoderServer:
    """Serves one batch at a time, on the main thread. `register` and `cancel` are called by the reading thread."""

    def __init__(self, channel: Channel, heartbeat: Heartbeat, device: torch.device) -> None:
        self._channel = channel
        self._heartbeat = heartbeat
        self._device = device
        self._hosts: dict[tuple[str, str], _Host] = {}
        self._models: dict[str, _Model] = {}
        self._calls: dict[str, _Call] = {}
        self._batch_texts = MAX_BATCH_TEXTS

    # The reading thread:

    def register(self, message: Message) -> None:
        """Records a call as soon as it is read, so that a cancel that comes next finds it."""
        call_id = message.get("id")
        if not isinstance(call_id, str) or call_id in self._calls:
            text = "`id` of `infer` must be a string that no running call has"
            self._channel.send("error", id=call_id, kind="bad_request", message=text, field="id")
            return
        self._calls[call_id] = _Call(call_id)
        self._channel.enqueue(message)

    def cancel(self, call_id: str) -> None:
        call = self._calls.get(call_id)
        if call is not None:
            call.is_cancelled = True

    # The main thread:

    @property
    def is_busy(self) -> bool:
        return any(call.plan is not None for call in list(self._calls.values()))

    def has(self, key: object) -> bool:
        return key in self._models

    def load(self, message: Message) -> None:
        """Loads a model and says so. Raises RunnerError: artifact, unsupported or bad_request."""
        fields = Fields(message, "`load`")
        fields.choice("kind", (KIND,))
        key = fields.take("model", str)
        facts = BaseFacts.read(fields.take("base", dict))
        directory = fields.take("adapter", str, default=None)
        fields.done()
        self._heartbeat.claim()
        model, size = self._loaded(facts, None if directory is None else Path(directory))
        self._models[key] = model
        self._channel.send(
            "loaded",
            model=key,
            kind=KIND,
            abilities=model.layout.abilities(),
            zeroShot=model.heads is None,
            maxTokens=model.host.base.max_tokens,
            byteSize=size,
            baseByteSize=0 if model.is_alone else model.host.base.byte_size,
        )

    def unload(self, message: Message) -> None:
        """Unloads a model and says so, once its calls have ended."""
        key = message["model"]
        while any(call.model is self._models[key] for call in list(self._calls.values())):
            self.step()
        model = self._models.pop(key)
        if model.adapter is not None:
            model.host.bank.remove(model.adapter)
        self._drop_unused(model.host)
        self._channel.send("unloaded", model=key)

    def infer(self, message: Message) -> None:
        """Queues a call. Raises RunnerError when it cannot be answered."""
        call = self._calls[message["id"]]
        try:
            fields = Fields(message, "`infer`")
            fields.take("id", str)
            key = fields.take("model", str)
            texts = fields.take("texts", list)
            schema = fields.take("schema", dict)
            threshold = fields.number("threshold", 0, 1)
            explain = fields.take("explain", dict, default=None)
            fields.done()
            if len(texts) > MAX_TEXTS or not all(isinstance(text, str) for text in texts):
                raise RunnerError("bad_request", f"`texts` must be at most {MAX_TEXTS} texts", "texts")
            model = self._models.get(key)
            if model is None:
                raise RunnerError("bad_request", f"The model {key} is not loaded", "model")
            base, asked = model.host.base, read_schema(schema, threshold)
            if len(texts) * _name_bytes(asked) > MAX_FRAME_BYTES:
                raise _too_long()
            plan = Plan(asked, model.layout) if model.heads is not None else GlinerPlan(asked, base)
            if explain is not None:
                call.explanation = explanation_of(explain, plan.heads, model.rows, plan.warnings)
            for text in texts:
                self._heartbeat.claim()
                if isinstance(plan, Plan):
                    call.texts.append(encode_text(base.tokenizer, text, base.max_tokens))
                else:
                    call.texts.append(encode_for(plan, base, text))
        except BaseException:
            del self._calls[call.id]
            raise
        call.model, call.plan = model, plan
        if not texts:
            self._answer(call)

    def step(self) -> None:
        """Reads one batch of texts, of calls of one model, and answers the calls that are complete."""
        for call in [call for call in list(self._calls.values()) if call.plan is not None and call.is_cancelled]:
            del self._calls[call.id]
            self._channel.send("error", id=call.id, kind="cancelled", message="Cancelled")
        waiting = [call for call in list(self._calls.values()) if call.plan is not None]
        if not waiting:
            return
        self._heartbeat.claim()
        model = waiting[0].model
        assert model is not None
        self._read(model, self._batch([call for call in waiting if call.model is model]))

    def _read(self, model: _Model, batch: list[tuple[_Call, EncodedText]]) -> None:
        """Reads a batch. If that fails, each of its calls is read alone, so that one call cannot fail another."""
        calls = list({call.id: call for call, _ in batch}.values())
        self._heartbeat.claim()
        try:
            results = self._results(model, batch)
        except BaseException as error:
            if is_out_of_memory(error) and len(batch) > 1:
                self._halve(len(batch))
                return
            fields = failure_fields(error)
            if len(calls) > 1:
                for call in calls:
                    self._read(model, [each for each in batch if each[0] is call])
                return
            del self._calls[calls[0].id]
            self._channel.send("error", id=calls[0].id, **fields)
            return
        for (call, _), result in zip(batch, results, strict=True):
            call.results.append(result)
        for call in calls:
            if len(call.results) == len(call.texts):
                self._answer(call)

    def _batch(self, calls: list[_Call]) -> list[tuple[_Call, EncodedText]]:
        """Returns the next texts of calls, in order, as many as a batch holds."""
        batch: list[tuple[_Call, EncodedText]] = []
        longest = 0
        for call in calls:
            for text in call.texts[len(call.results) :]:
                longest = max(longest, len(text.tokens))
                if batch and (len(batch) >= self._batch_texts or longest * (len(batch) + 1) > MAX_BATCH_TOKENS):
                    return batch
                batch.append((call, text))
        return batch

    def _results(self, model: _Model, batch: list[tuple[_Call, EncodedText]]) -> list[dict[str, Any]]:
        with model.host.bank.using([model.adapter]):
            nearest = self._nearest(model, batch)
            return [result | near for result, near in zip(self._answers(model, batch), nearest, strict=True)]

    def _nearest(self, model: _Model, batch: list[tuple[_Call, EncodedText]]) -> list[dict[str, Any]]:
        """Returns the training rows that are nearest to each text whose answer is to be explained."""
        explained = [text.text for call, text in batch if call.explanation is not None]
        if not explained:
            return [{} for _ in batch]
        base = model.host.base
        vectors = iter(text_vectors(base.model.encoder if model.heads is None else base.model, base, explained))
        return [{} if call.explanation is None else {"nearest": call.explanation.nearest(next(vectors))} for call, _ in batch]

    def _answers(self, model: _Model, batch: list[tuple[_Call, EncodedText]]) -> list[dict[str, Any]]:
        base = model.host.base
        if model.heads is None:
            with autocast(self._device):
                return answer(base.model, [(call.plan, text) for call, text in batch])  # type: ignore[misc]
        pad: Any = base.tokenizer.pad_token_id or 0
        found = read_texts(EncoderModel(base.model, model.heads, pad), [text for _, text in batch], lambda: autocast(self._device))
        return [call.plan.answer(findings) for (call, _), findings in zip(batch, found, strict=True)]  # type: ignore[union-attr]

    def _halve(self, texts: int) -> None:
        if self._device.type == "cuda":
            torch.cuda.empty_cache()
        self._batch_texts = texts // 2
        self._channel.send("log", level="warn", message=f"Out of memory with {texts} texts at once: going on with {texts // 2}")

    def _answer(self, call: _Call) -> None:
        assert call.plan is not None
        del self._calls[call.id]
        tokens = [len(text.tokens) for text in call.texts]
        try:
            self._channel.send("inferred", id=call.id, results=call.results, warnings=call.plan.warnings, inputTokens=tokens)
        except FrameError:
            self._channel.send("error", id=call.id, **_too_long().fields())
        except ValueError as error:  # a confidence that is no number
            self._channel.send("error", id=call.id, **failure_fields(error))

    def _loaded(self, facts: BaseFacts, directory: Path | None) -> tuple[_Model, int]:
        """Returns a model, and the bytes that it adds to those of its base."""
        if directory is None:
            host = self._host(facts)
            return _Model(host, None, None if is_gliner(facts) else Heads(Layout(), host.base.width), Layout(), is_alone=False), 0
        tensors, layout = read_encoder(directory, facts)
        backbone, own = parted(tensors)
        rows = read_kept_rows(directory)
        size = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values()) + (rows.byte_size if rows else 0)
        if is_full(directory):
            base = self._load(facts)
            load_weights(base.model, backbone)
            heads, host = self._heads(base, layout, own), _Host(base, AdapterBank(base.model))
            return _Model(host, None, heads, layout, is_alone=True, rows=rows), size
        host = self._host(facts)
        try:
            heads = self._heads(host.base, layout, own)
            adapter = host.add_adapter(directory)
        except BaseException:
            self._drop_unused(host)
            raise
        return _Model(host, adapter, heads, layout, is_alone=False, rows=rows), size

    def _heads(self, base: EncoderBase, layout: Layout, tensors: Tensors) -> Heads | None:
        return None if is_gliner(base.facts) else load_heads(layout, base.width, tensors, self._device)

    def _load(self, facts: BaseFacts) -> EncoderBase:
        if is_gliner(facts):
            return load_gliner(facts, self._device)
        return load_encoder(facts, self._device, compute_dtype(self._device))

    def _host(self, facts: BaseFacts) -> _Host:
        key = (facts.id, facts.sha256)
        if key not in self._hosts:
            base = self._load(facts)
            self._hosts[key] = _Host(base, AdapterBank(base.model))
        return self._hosts[key]

    def _drop_unused(self, host: _Host) -> None:
        """Frees a base that no model uses."""
        if any(other.host is host for other in self._models.values()):
            return
        self._hosts = {key: other for key, other in self._hosts.items() if other is not host}
        host.base.release()
        gc.collect()  # modules refer to one another
        if self._device.type == "cuda":
            torch.cuda.empty_cache()


def _name_bytes(schema: Schema) -> int:
    """Returns the minimum bytes of the names that the result of each text repeats."""
    return sum(len(query.name) for query in [*(schema.entities or []), *(schema.relations or [])])


def _too_long() -> RunnerError:
    text = "`schema` asks for more than an answer to these texts can hold: ask for less, or send fewer texts"
    return RunnerError("bad_request", text, "schema")
