"""The `train` message of an encoder."""

from dataclasses import dataclass

from ..fields import Fields
from ..frames import Message
from ..training.request import TrainFiles, take_files
from ..training.settings import LoopSettings, take_loop_settings


@dataclass(frozen=True)
class EncoderSettings(LoopSettings):
    training_type: str
    """`lora`, or `full`: the whole encoder learns."""
    multi_label: bool
    """True where a text may have several classes, or none."""


@dataclass(frozen=True)
class EncoderTrainRequest(TrainFiles):
    settings: EncoderSettings


def read_encoder_request(message: Message) -> EncoderTrainRequest:
    """Returns the request of a message. Raises RunnerError (bad_request) that names the first bad field."""
    fields = Fields(message, "`train`")
    fields.choice("kind", ("encoder",))
    request = EncoderTrainRequest(settings=_settings(fields.take("settings", dict)), **take_files(fields))
    fields.done()
    return request


def _settings(message: Message) -> EncoderSettings:
    fields = Fields(message, "`settings`")
    settings = EncoderSettings(
        **take_loop_settings(fields),
        training_type=fields.choice("trainingType", ("lora", "full")),
        multi_label=fields.take("multiLabel", bool),
    )
    fields.done()
    return settings
