"""The training that a `train` message starts."""

from ..encoders.request import read_encoder_request
from ..encoders.training import train_encoder
from ..frames import Message
from .context import TrainContext
from .decoder import train_decoder
from .request import read_request


def start_training(message: Message, context: TrainContext) -> None:
    """Trains until done, and reports `trained`. Raises RunnerError, or Cancelled once the runner has cancelled."""
    if message.get("kind") == "encoder":
        train_encoder(read_encoder_request(message), context)
    else:
        train_decoder(read_request(message), context)
