"""The two pipes: messages to the runner from any thread, messages from it through one reading thread."""

import queue
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from .frames import FrameError, Message, encode_frame, read_frame


class Channel:
    """
    Sends frames and receives them.

    `ack` and `cancel` are handled by the reading thread at once, since the main thread may be busy for minutes. All other
    messages wait in `next` for the main thread, in order.
    """

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source = source
        self._sink = sink
        self._write_lock = threading.Lock()
        self._inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._urgent: dict[str, Callable[[Message], None]] = {}
        self._acked = 0
        self._ack_arrived = threading.Condition()
        self._sequence = 0
        self.closed = threading.Event()
        """Set once the runner has closed its end, and waits for no more results."""

    def on(self, message_type: str, handler: Callable[[Message], None]) -> None:
        """Registers `handler`, which the reading thread calls for each message of a type. Call before `start`."""
        self._urgent[message_type] = handler

    def start(self) -> None:
        threading.Thread(target=self._read, name="reader", daemon=True).start()

    def send(self, message_type: str, **fields: Any) -> None:
        """Writes one message. Does nothing once the runner has closed its end."""
        frame = encode_frame({"type": message_type, **fields})
        try:
            with self._write_lock:
                self._sink.write(frame)
                self._sink.flush()
        except (BrokenPipeError, ValueError):
            self.closed.set()

    def send_and_await_ack(self, gives_up: threading.Event, message_type: str, **fields: Any) -> None:
        """Writes one message with a `seq` and waits for its `ack`, for `gives_up`, or for the runner's end of the pipe to close."""
        self._sequence += 1
        sequence = self._sequence
        self.send(message_type, seq=sequence, **fields)
        with self._ack_arrived:
            self._ack_arrived.wait_for(lambda: self._acked >= sequence or gives_up.is_set() or self.closed.is_set())

    def acknowledge(self, sequence: int) -> None:
        """Records that the runner has taken every message up to `sequence`."""
        with self._ack_arrived:
            self._acked = max(self._acked, sequence)
            self._ack_arrived.notify_all()

    def wake(self) -> None:
        """Wakes a sender that awaits an `ack`, which then checks whether it gives up."""
        with self._ack_arrived:
            self._ack_arrived.notify_all()

    def enqueue(self, message: Message) -> None:
        """Puts a message where `next` finds it."""
        self._inbox.put(message)

    def next(self, timeout: float | None) -> Message:
        """Returns the next message; one of type `closed` once the pipe has closed. Raises queue.Empty after `timeout` seconds."""
        return self._inbox.get(timeout=timeout) if timeout != 0 else self._inbox.get_nowait()

    def _read(self) -> None:
        try:
            while (message := read_frame(self._source)) is not None:
                handler = self._urgent.get(message["type"])
                if handler is None:
                    self._inbox.put(message)
                else:
                    handler(message)
        except FrameError as error:
            self.send("error", id=None, kind="bad_request", message=str(error))
        except OSError:
            pass
        finally:
            self.closed.set()
            with self._ack_arrived:
                self._ack_arrived.notify_all()
            self._inbox.put({"type": "closed"})
