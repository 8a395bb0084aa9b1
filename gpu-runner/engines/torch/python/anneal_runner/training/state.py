"""The state of a training, written so that it goes on exactly from there."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from ..adapters import Tensors
from ..errors import RunnerError

TENSORS = "training_state.safetensors"
NUMBERS = "training_state.json"


@dataclass
class Progress:
    """Progress of a training: `epoch` epochs are complete, and `epoch_step` steps of the next."""

    fingerprint: str
    """Hash of all that decides the result: only the same training goes on from here."""
    step: int = 0
    epoch: int = 0
    epoch_step: int = 0
    part_size: int = 0
    epoch_loss: float = 0.0
    epoch_weight: int = 0
    training_loss: float = 0.0
    """Mean loss over the learned tokens (pairs, rows) of the last complete epoch, in nats."""
    validation_loss: float | None = None
    best_loss: float | None = None
    best_epoch: int = 0
    worse_epochs: int = 0
    """Number of epochs since the best one."""


def write_state(directory: Path, progress: Progress, optimizer: torch.optim.Optimizer, best: Tensors | None) -> None:
    """Writes all that the adapter's own files do not hold: moments, random states, and the best weights if they are others."""
    tensors: Tensors = {"random.cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    for index, moments in optimizer.state_dict()["state"].items():
        for name, value in moments.items():
            tensors[f"optimizer.{index}.{name}"] = torch.as_tensor(value).detach().to("cpu", copy=True).contiguous()
    for name, value in (best or {}).items():
        tensors[f"best.{name}"] = value
    save_file(tensors, directory / TENSORS)
    (directory / NUMBERS).write_text(json.dumps(asdict(progress), indent=2) + "\n", "utf-8")


def read_state(directory: Path, optimizer: torch.optim.Optimizer, fingerprint: str) -> tuple[Progress, Tensors | None]:
    """
    Restores the optimiser and torch's random state. Returns the progress and the best weights, if they are not the adapter's.
    Raises RunnerError (artifact) when the state is damaged or of another training.
    """
    try:
        progress = Progress(**json.loads((directory / NUMBERS).read_text("utf-8")))
        tensors = load_file(directory / TENSORS)
    except Exception as error:  # safetensors raises many types
        raise RunnerError("artifact", f"The checkpoint to resume from is damaged ({type(error).__name__})") from error
    if progress.fingerprint != fingerprint:
        raise RunnerError("artifact", "The checkpoint to resume from is of other rows, settings or versions")
    state: dict[int, Tensors] = {}
    best: Tensors = {}
    for name, value in tensors.items():
        kind, _, rest = name.partition(".")
        if kind == "optimizer":
            index, _, moment = rest.partition(".")
            state.setdefault(int(index), {})[moment] = value
        elif kind == "best":
            best[rest] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
    torch.set_rng_state(tensors["random.cpu"])
    if "random.cuda" in tensors and torch.cuda.is_available():
        torch.cuda.set_rng_state(tensors["random.cuda"])
    return progress, best or None
