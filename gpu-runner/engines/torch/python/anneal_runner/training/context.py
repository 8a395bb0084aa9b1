"""A training's messages to the runner, and from it."""

import threading

import torch

from ..channel import Channel
from ..errors import Cancelled
from ..heartbeat import Heartbeat
from .ranks import Ranks

SOLE = Ranks()


class TrainContext:
    """Reports of one training. `claim` is called at each piece of work, and raises Cancelled once the runner has cancelled."""

    def __init__(
        self, channel: Channel, heartbeat: Heartbeat, cancelled: threading.Event, device: torch.device, ranks: Ranks = SOLE
    ) -> None:
        self._channel = channel
        self._heartbeat = heartbeat
        self._cancelled = cancelled
        self.device = device
        self.ranks = ranks

    def claim(self) -> None:
        if self._cancelled.is_set() or self._channel.closed.is_set():
            raise Cancelled()
        self._heartbeat.claim()

    def report(self, message_type: str, **fields: object) -> None:
        self._channel.send(message_type, **fields)

    def checkpoint(self, **fields: object) -> None:
        """Hands a checkpoint's folder to the runner and waits until it has taken it."""
        self._heartbeat.idle()
        self._channel.send_and_await_ack(self._cancelled, "checkpoint", **fields)
        self.claim()

    def log(self, level: str, message: str) -> None:
        self._channel.send("log", level=level, message=message)


class SilentContext(TrainContext):
    """The context of a process whose training is reported by another one."""

    def __init__(self, device: torch.device, ranks: Ranks) -> None:
        self.device = device
        self.ranks = ranks

    def claim(self) -> None:
        pass

    def report(self, message_type: str, **fields: object) -> None:
        pass

    def checkpoint(self, **fields: object) -> None:
        pass

    def log(self, level: str, message: str) -> None:
        pass
