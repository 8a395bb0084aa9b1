"""Heartbeats, from a thread of their own, while the main thread makes progress."""

import threading
import time

from .channel import Channel

INTERVAL_SECONDS = 1.0


class Heartbeat:
    """
    Sends `heartbeat` each second while the main thread is idle, or while its last claim of progress is young enough.

    A main thread that hangs in a kernel stops claiming, its heartbeats end, and the runner kills the process.
    """

    def __init__(self, channel: Channel, step_seconds: float) -> None:
        self._channel = channel
        self._step_seconds = step_seconds
        self._claimed_at: float | None = None

    def start(self) -> None:
        threading.Thread(target=self._beat, name="heartbeat", daemon=True).start()

    def claim(self) -> None:
        """Records that the main thread is at work and has just made progress."""
        self._claimed_at = time.monotonic()

    def idle(self) -> None:
        """Records that the main thread waits for the runner."""
        self._claimed_at = None

    @property
    def alive(self) -> bool:
        claimed_at = self._claimed_at
        return claimed_at is None or time.monotonic() - claimed_at < self._step_seconds

    def _beat(self) -> None:
        while not self._channel.closed.wait(INTERVAL_SECONDS):
            if self.alive:
                self._channel.send("heartbeat")
