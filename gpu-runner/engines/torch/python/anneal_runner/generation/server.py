"""Loaded models, and the requests that wait or run."""

from collections import deque
from pathlib import Path
from typing import Any

import torch

from ..bases import BaseFacts, load_base
from ..channel import Channel
from ..chat import Chat
from ..errors import RunnerError
from ..failures import failure_fields
from ..fields import Fields
from ..frames import Message
from ..heartbeat import Heartbeat
from ..machine import compute_dtype
from ..training.rows import messages_or_none
from .answer import Answer
from .batch import Member
from .outbox import Outbox
from .request import read_request
from .score import score
from .served_base import ServedBase
from .tools import tool_family

MAX_BATCH = 32
"""Maximum answers of one base that are made at once; others wait."""


class _Model:
    """A model that the runner has loaded: a base, and the name of its adapter or None."""

    def __init__(self, key: str, served: ServedBase, adapter: str | None) -> None:
        self.key = key
        self.served = served
        self.adapter = adapter
        self.open = 0
        """Number of open requests."""
        self.is_leaving = False


class _Live:
    """A request from when it was read to its last message."""

    def __init__(self, outbox: Outbox) -> None:
        self.outbox = outbox
        self.is_cancelled = False
        self.model: _Model | None = None


class GenerationServer:
    """Serves one step at a time, on the main thread. `acknowledge`, `cancel` and `register` are called by the reading thread."""

    def __init__(self, channel: Channel, heartbeat: Heartbeat, device: torch.device) -> None:
        self._channel = channel
        self._heartbeat = heartbeat
        self._device = device
        self._bases: dict[tuple[str, str], ServedBase] = {}
        self._models: dict[str, _Model] = {}
        self._live: dict[str, _Live] = {}
        self._waiting: deque[tuple[_Model, Member, _Live]] = deque()
        self._running: dict[int, _Live] = {}
        """Open requests by the identity of their member."""

    # The reading thread:

    def register(self, message: Message) -> None:
        """Records a request as soon as it is read, so that a cancel that comes next finds it."""
        request_id = message.get("id")
        if not isinstance(request_id, str) or request_id in self._live:
            text = "`id` of `generate` must be a string that no running request has"
            self._channel.send("error", id=request_id, kind="bad_request", message=text, field="id")
            return
        self._live[request_id] = _Live(Outbox(self._channel, request_id))
        self._channel.enqueue(message)

    def acknowledge(self, request_id: str, sequence: int) -> None:
        live = self._live.get(request_id)
        if live is not None:
            live.outbox.acknowledge(sequence)
            if live.outbox.is_waiting:
                self._channel.enqueue({"type": "flush"})

    def cancel(self, request_id: str) -> None:
        live = self._live.get(request_id)
        if live is not None:
            live.is_cancelled = True
            # The answer may be complete and wait for acknowledgements that nobody will send.
            self._channel.enqueue({"type": "flush"})

    # The main thread:

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting) or any(served.batch.members for served in self._bases.values())

    def has(self, key: object) -> bool:
        """True while a model of this key is loaded, or is still to leave."""
        return key in self._models

    def load(self, message: Message) -> None:
        """Loads a model and says so. Raises RunnerError: artifact, unsupported or bad_request."""
        fields = Fields(message, "`load`")
        fields.choice("kind", ("decoder",), default="decoder")
        key = fields.take("model", str)
        facts = BaseFacts.read(fields.take("base", dict))
        directory = fields.take("adapter", str, default=None)
        fields.done()
        served = self._base(facts)
        try:
            adapter, size = (None, 0) if directory is None else served.add_adapter(Path(directory))
        except BaseException:
            self._drop_unused_base(served)
            raise
        self._models[key] = _Model(key, served, adapter)
        base = served.base
        template = base.tokenizer.chat_template
        self._channel.send(
            "loaded",
            model=key,
            instruct=base.instruct,
            contextTokens=base.context_tokens,
            tools=tool_family(template if isinstance(template, str) else None),
            byteSize=size,
            baseByteSize=base.byte_size,
        )

    def unload(self, message: Message) -> None:
        """Unloads a model and says so, once its requests have ended."""
        model = self._models.get(message.get("model", ""))
        if model is None or model.is_leaving:
            raise RunnerError("bad_request", f"The model {message.get('model')} is not loaded", "model")
        model.is_leaving = True
        self._leave(model)

    def model(self, key: str) -> _Model:
        model = self._models.get(key)
        if model is None or model.is_leaving:
            raise RunnerError("bad_request", f"The model {key} is not loaded", "model")
        return model

    def generate(self, message: Message) -> None:
        """Queues a request. Raises RunnerError when it cannot run."""
        live = self._live[message["id"]]
        try:
            request = read_request(message)
            model = self.model(request.model)
            answer = Answer(model.served.base, model.served.vocabulary, request, live.outbox)
        except BaseException:
            del self._live[message["id"]]
            raise
        live.model = model
        model.open += 1
        self._waiting.append((model, Member(answer, model.adapter), live))

    def score(self, message: Message) -> None:
        """Answers how likely a model finds the answer that ends a chat; other messages wait. Raises RunnerError."""
        fields = Fields(message, "`score`")
        key, model = fields.take("id", str), self.model(fields.take("model", str))
        messages = messages_or_none(fields.take("messages", list))
        tools = fields.take("tools", list, default=[])
        fields.done()
        if messages is None:
            raise RunnerError("bad_request", "`messages` of `score` must be a list of one or more messages", "messages")
        self._heartbeat.claim()
        nats, tokens = score(model.served, model.adapter, Chat(messages, tools))
        self._channel.send("scored", id=key, nats=nats, tokens=tokens)

    def step(self) -> None:
        """Begins one waiting request if there is room, then makes a token for every one that runs."""
        self._heartbeat.claim()
        self._begin_one()
        for served in list(self._bases.values()):
            self._step_base(served)
        self.flush()

    def flush(self) -> None:
        """Sends what acknowledgements allow, and forgets the requests that are all sent."""
        for request_id, live in list(self._live.items()):
            if live.is_cancelled and live.outbox.has_ended:
                live.outbox.drop()
            live.outbox.flush()
            if live.outbox.is_finished:
                self._forget(request_id)

    def _begin_one(self) -> None:
        for _ in range(len(self._waiting)):
            model, member, live = self._waiting.popleft()
            if live.is_cancelled:
                member.answer.cancel()
            elif len(model.served.batch.members) >= MAX_BATCH:
                self._waiting.append((model, member, live))
                continue
            else:
                self._running[id(member)] = live
                self._join(model.served, member, live)
            return

    def _join(self, served: ServedBase, member: Member, live: _Live) -> None:
        try:
            cache = served.batch.read(member, self._claim(live))
        except BaseException as error:
            # The prompt is read beside the batch, which goes on.
            member.answer.fail(failure_fields(error))
            return
        if cache is not None:
            self._guarded(served, [member], lambda: served.batch.add(member, cache))

    def _step_base(self, served: ServedBase) -> None:
        batch = served.batch
        for member in batch.members:
            if self._running[id(member)].is_cancelled:
                member.answer.cancel()
        batch.remove_ended()
        if batch.members:
            self._guarded(served, list(batch.members), batch.step)

    def _guarded(self, served: ServedBase, members: list[Member], work: Any) -> None:
        """Does work for members of a batch. When it fails, they and the whole batch fail with it."""
        try:
            work()
            return
        except BaseException as error:
            fields = failure_fields(error)
        for member in {id(m): m for m in [*members, *served.batch.members]}.values():
            if member.answer.reason is None:
                member.answer.fail(fields)
        served.batch.clear()

    def _claim(self, live: _Live) -> Any:
        def claim() -> bool:
            self._heartbeat.claim()
            return not live.is_cancelled

        return claim

    def _forget(self, request_id: str) -> None:
        live = self._live.pop(request_id)
        self._running = {key: other for key, other in self._running.items() if other is not live}
        if live.model is not None:
            live.model.open -= 1
            self._leave(live.model)

    def _leave(self, model: _Model) -> None:
        if not model.is_leaving or model.open > 0:
            return
        del self._models[model.key]
        if model.adapter is not None:
            model.served.remove_adapter(model.adapter)
        self._drop_unused_base(model.served)
        self._channel.send("unloaded", model=model.key)

    def _base(self, facts: BaseFacts) -> ServedBase:
        key = (facts.id, facts.sha256)
        if key not in self._bases:
            self._heartbeat.claim()
            self._bases[key] = ServedBase(load_base(facts, self._device, compute_dtype(self._device)), self._device)
        return self._bases[key]

    def _drop_unused_base(self, served: ServedBase) -> None:
        if any(model.served is served for model in self._models.values()):
            return
        self._bases = {key: other for key, other in self._bases.items() if other is not served}
        served.release()
        if self._device.type == "cuda":
            torch.cuda.empty_cache()
