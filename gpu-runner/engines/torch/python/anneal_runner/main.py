"""Answers the runner's messages, one after another."""

import queue
import threading
from typing import BinaryIO

import torch
from transformers.utils import logging as transformers_logging

from .channel import Channel
from .encoders.server import EncoderServer
from .errors import Cancelled, RunnerError
from .exporting.export import export
from .exporting.request import read_request as read_export
from .failures import failure_fields, is_out_of_memory
from .frames import Message
from .generation.server import GenerationServer
from .heartbeat import Heartbeat
from .machine import facts, prepare
from .training.context import SOLE, TrainContext
from .training.ranks import Ranks
from .training.start import start_training
from .training.team import team_of


def run(
    source: BinaryIO,
    sink: BinaryIO,
    threads: int,
    step_seconds: float,
    device: str,
    processes: int = 1,
    deterministic: bool = True,
) -> int:
    """Serves until `stop` or a closed pipe; `processes` train a model together. Returns the exit code."""
    transformers_logging.disable_progress_bar()
    channel = Channel(source, sink)
    try:
        chosen = prepare(threads, device, deterministic)
    except RunnerError as error:
        channel.send("error", id=None, kind=error.kind, message=error.message)
        return 1
    runner = _Runner(channel, Heartbeat(channel, step_seconds), chosen, threads, processes)
    return runner.serve()


class _Runner:
    def __init__(self, channel: Channel, heartbeat: Heartbeat, device: torch.device, threads: int, processes: int) -> None:
        self._channel = channel
        self._threads = threads
        self._processes = processes
        self._heartbeat = heartbeat
        self._device = device
        self._cancelled = threading.Event()
        self._generation = GenerationServer(channel, heartbeat, device)
        self._encoders = EncoderServer(channel, heartbeat, device)

    def serve(self) -> int:
        self._channel.on("ack", self._acknowledge)
        self._channel.on("cancel", self._cancel)
        self._channel.on("generate", self._generation.register)
        self._channel.on("infer", self._encoders.register)
        self._channel.send("hello", **facts(self._device))
        self._channel.start()
        self._heartbeat.start()
        while True:
            message = self._next()
            # The watch over work on a message begins at its start: a tokenizer or a template may hang too.
            self._heartbeat.claim()
            if message is None:
                self._generation.step()
                self._encoders.step()
            elif message["type"] in ("stop", "closed"):
                return 0
            else:
                self._answer(message)

    def _next(self) -> Message | None:
        """Returns the next message. While requests run it does not wait: None then."""
        if not self._generation.is_busy and not self._encoders.is_busy:
            self._heartbeat.idle()
            return self._channel.next(None)
        try:
            return self._channel.next(0)
        except queue.Empty:
            return None

    def _answer(self, message: Message) -> None:
        """Handles one message; what it raises becomes an `error`."""
        about = {"id": message.get("id")} | ({"model": message["model"]} if "model" in message else {})
        try:
            self._handle(message)
        except Cancelled:
            self._channel.send("error", **about, kind="cancelled", message="Cancelled")
        except BaseException as error:
            is_foreseen = isinstance(error, RunnerError) or is_out_of_memory(error)
            if message["type"] in ("train", "export") and not is_foreseen:
                raise  # the process has only this work: the runner reports the last lines of its log
            self._channel.send("error", **about, **failure_fields(error))
        finally:
            if message["type"] in ("train", "export"):
                self._cancelled.clear()

    def _handle(self, message: Message) -> None:
        match message["type"]:
            case "train":
                with team_of(message, self._processes, self._threads, self._device, self._channel) as ranks:
                    start_training(message, self._context(ranks))
            case "export":
                export(read_export(message), self._context())
            case "load":
                self._load(message)
            case "unload":
                (self._encoders if self._encoders.has(message.get("model")) else self._generation).unload(message)
            case "infer":
                self._encoders.infer(message)
            case "generate":
                self._generation.generate(message)
            case "score":
                self._generation.score(message)
            case "flush":
                self._generation.flush()
            case other:
                raise RunnerError("bad_request", f"Messages of type `{other}` are not known to this version")

    def _context(self, ranks: Ranks = SOLE) -> TrainContext:
        return TrainContext(self._channel, self._heartbeat, self._cancelled, self._device, ranks)

    def _load(self, message: Message) -> None:
        key = message.get("model")
        if self._encoders.has(key) or self._generation.has(key):
            raise RunnerError("bad_request", f"The model {key} is loaded already", "model")
        if message.get("kind") == "encoder":
            self._encoders.load(message)
        else:
            self._generation.load(message)

    def _acknowledge(self, message: Message) -> None:
        if "id" in message:
            self._generation.acknowledge(message["id"], int(message["seq"]))
        else:
            self._channel.acknowledge(int(message["seq"]))

    def _cancel(self, message: Message) -> None:
        if message.get("id") is None:
            # A cancellation may come before its work begins, or while a checkpoint waits for its `ack`.
            self._cancelled.set()
            self._channel.wake()
        else:
            self._generation.cancel(message["id"])
            self._encoders.cancel(message["id"])
