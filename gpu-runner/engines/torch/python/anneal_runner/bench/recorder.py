"""The runner's end of the pipes, inside the measuring process: it notes when each frame was sent, and acknowledges at once."""

import io
import time
from collections.abc import Callable
from typing import BinaryIO, cast

from ..channel import Channel
from ..errors import RunnerError
from ..frames import Message, read_frame


class Recorder(io.RawIOBase):
    """A sink of frames."""

    def __init__(self) -> None:
        self.channel = Channel(io.BytesIO(), cast(BinaryIO, self))
        self.frames: list[tuple[float, Message]] = []
        """Frames, each with the seconds of `time.perf_counter` at which it was sent."""
        self.acknowledge: Callable[[Message], None] = lambda _: None

    def writable(self) -> bool:
        return True

    def write(self, frame: bytes) -> int:  # type: ignore[override]
        """Takes one whole frame. Raises RunnerError for one of type `error`."""
        message = read_frame(io.BytesIO(frame))
        assert message is not None
        self.frames.append((time.perf_counter(), message))
        if message["type"] == "error":
            raise RunnerError(message["kind"], message["message"])
        self.acknowledge(message)
        return len(frame)

    def times(self, message_type: str) -> list[float]:
        return [at for at, message in self.frames if message["type"] == message_type]
