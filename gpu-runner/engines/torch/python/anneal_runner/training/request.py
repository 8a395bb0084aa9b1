"""The `train` message of a decoder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..bases import BaseFacts
from ..errors import RunnerError
from ..fields import Fields
from ..frames import Message
from .settings import LoopSettings, take_loop_settings


@dataclass(frozen=True)
class Settings(LoopSettings):
    packing: bool
    load_in_4bit: bool
    """True keeps the base's weights in 4 bits."""
    beta: float
    """Strength with which preferences hold the model to its base."""
    samples: int
    """Number of answers generated after each epoch, as log lines."""


@dataclass(frozen=True)
class TrainFiles:
    """Folders and files of a training."""

    base: BaseFacts
    output: Path
    start_from: Path | None
    resume_from: Path | None
    train: Path
    validation: Path


@dataclass(frozen=True)
class TrainRequest(TrainFiles):
    kind: str
    """`decoder`: answers are learned. `preferences`: which of two answers is better."""
    settings: Settings


def read_request(message: Message) -> TrainRequest:
    """Returns the request of a message. Raises RunnerError: unsupported for what this engine never does, bad_request otherwise."""
    fields = Fields(message, "`train`")
    request = TrainRequest(
        kind=fields.choice("kind", ("decoder", "preferences")),
        settings=_settings(fields.take("settings", dict)),
        **take_files(fields),
    )
    fields.done()
    if request.kind == "preferences" and request.settings.packing:
        raise RunnerError("bad_request", "`packing` is not supported with preferences", "packing")
    return request


def take_files(fields: Fields) -> dict[str, Any]:
    """Returns the fields of TrainFiles by name. Raises RunnerError (bad_request) that names the first bad one."""
    return {
        "base": BaseFacts.read(fields.take("base", dict)),
        "output": Path(fields.take("output", str)),
        "start_from": _optional_path(fields.take("startFrom", str, default=None)),
        "resume_from": _optional_path(fields.take("resumeFrom", str, default=None)),
        "train": Path(fields.take("train", str)),
        "validation": Path(fields.take("validation", str)),
    }


def _optional_path(value: str | None) -> Path | None:
    return None if value is None else Path(value)


def _settings(message: Message) -> Settings:
    fields = Fields(message, "`settings`")
    if fields.choice("trainingType", ("lora", "full"), default="lora") == "full":
        raise RunnerError("unsupported", "Decoders are trained with `lora` only: `full` is not supported")
    settings = Settings(
        **take_loop_settings(fields),
        packing=fields.take("packing", bool, default=False),
        load_in_4bit=fields.take("loadIn4bit", bool, default=False),
        beta=fields.number("beta", 1e-4, 100, default=0.1),
        samples=fields.integer("samples", 0, 16, default=2),
    )
    fields.done()
    return settings
