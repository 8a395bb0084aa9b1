"""The `export` message."""

from dataclasses import dataclass
from pathlib import Path

from ..bases import BaseFacts
from ..fields import Fields
from ..frames import Message

FORMATS = ("adapter", "merged", "gguf", "gguf-q8_0", "onnx")


@dataclass(frozen=True)
class ExportRequest:
    format: str
    """
    `adapter`: the peft files. `merged`: the base with the adapter added to its weights. `gguf`: that as one GGUF file in float16;
    `gguf-q8_0`: in 8 bits. `onnx`: an encoder as graphs, with the program that reads texts by them.
    """
    base: BaseFacts
    adapter: Path
    output: Path
    """A folder that does not exist yet."""


def read_request(message: Message) -> ExportRequest:
    """Returns the request of a message. Raises RunnerError (bad_request)."""
    fields = Fields(message, "`export`")
    request = ExportRequest(
        format=fields.choice("format", FORMATS),
        base=BaseFacts.read(fields.take("base", dict)),
        adapter=Path(fields.take("adapter", str)),
        output=Path(fields.take("output", str)),
    )
    fields.done()
    return request
