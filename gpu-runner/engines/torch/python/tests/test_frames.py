import io

import pytest

from anneal_runner.frames import MAX_FRAME_BYTES, FrameError, encode_frame, read_frame


class Dribble(io.RawIOBase):
    """A stream that gives one byte at a time."""

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    def read(self, count: int = -1) -> bytes:
        return self._content.read(min(count, 1))


def test_a_message_comes_back_as_it_was() -> None:
    message = {"type": "log", "message": "Größe: 7 € \U0001f600\n\0"}
    assert read_frame(io.BytesIO(encode_frame(message))) == message


def test_frames_that_arrive_byte_by_byte_are_whole() -> None:
    stream = Dribble(encode_frame({"type": "a"}) + encode_frame({"type": "b"}))
    assert [read_frame(stream), read_frame(stream), read_frame(stream)] == [{"type": "a"}, {"type": "b"}, None]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "content",
    [b"\0\0", encode_frame({"type": "a"})[:-1], b"\0\0\0\1{", b"\0\0\0\2[]", b"\0\0\0\2{}", b"\xff\xff\xff\xff"],
    ids=["cut head", "cut body", "no JSON", "no object", "no type", "too long"],
)
def test_bytes_that_are_no_frame_are_refused(content: bytes) -> None:
    with pytest.raises(FrameError):
        read_frame(io.BytesIO(content))


def test_a_message_past_the_limit_is_refused() -> None:
    with pytest.raises(FrameError, match="past the"):
        encode_frame({"type": "log", "message": "x" * MAX_FRAME_BYTES})
