"""Frames: 4 bytes with the length (big-endian), then as many bytes of JSON in UTF-8."""

import json
import struct
from typing import Any, BinaryIO

MAX_FRAME_BYTES = 16 * 1024 * 1024
_LENGTH = struct.Struct(">I")

Message = dict[str, Any]


class FrameError(Exception):
    """Bytes that are no frame, after which the stream cannot be read further."""


def encode_frame(message: Message) -> bytes:
    """Returns the frame of a message. Raises FrameError past MAX_FRAME_BYTES, and ValueError for NaN or infinity."""
    body = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8", "replace")
    if len(body) > MAX_FRAME_BYTES:
        raise FrameError(f"a message of {len(body)} bytes is past the {MAX_FRAME_BYTES} that a frame holds")
    return _LENGTH.pack(len(body)) + body


def read_frame(stream: BinaryIO) -> Message | None:
    """Returns the next message, or None at the stream's end. Raises FrameError when the bytes are no frame."""
    head = _read_exactly(stream, _LENGTH.size)
    if head is None:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > MAX_FRAME_BYTES:
        raise FrameError(f"a frame of {length} bytes is past the limit of {MAX_FRAME_BYTES}")
    body = _read_exactly(stream, length)
    if body is None:
        raise FrameError("the stream ended inside a frame")
    try:
        message = json.loads(body)
    except ValueError as error:
        raise FrameError(f"a frame is not JSON: {error}") from error
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise FrameError("a frame is not an object with a `type`")
    return message


def _read_exactly(stream: BinaryIO, count: int) -> bytes | None:
    """Returns `count` bytes, or None when the stream ends before the first. Raises FrameError when it ends later."""
    chunks = bytearray()
    while len(chunks) < count:
        chunk = stream.read(count - len(chunks))
        if not chunk:
            if not chunks:
                return None
            raise FrameError("the stream ended inside a frame")
        chunks += chunk
    return bytes(chunks)
