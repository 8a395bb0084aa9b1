"""The settings that every training has."""

from dataclasses import dataclass
from typing import Any

from ..fields import Fields

SCHEDULERS = ("constant", "linear", "cosine")


@dataclass(frozen=True)
class LoopSettings:
    """Hyper-parameters, all of them resolved by the runner."""

    epochs: int
    learning_rate: float
    batch_size: int
    """Number of rows of a step (packs of rows with `packing`)."""
    lora_r: int
    lora_alpha: float
    lora_dropout: float
    scheduler: str
    warmup_ratio: float
    weight_decay: float
    save_steps: int
    """Steps from one checkpoint to the next, besides the one of each epoch; 0: of epochs only."""
    seed: int
    early_stopping_patience: int
    """Number of epochs without a better validation loss after which training ends; 0: never."""
    max_tokens: int
    """Maximum tokens of a row (or pack); the rest is cut off."""
    gradient_checkpointing: bool


def take_loop_settings(fields: Fields) -> dict[str, Any]:
    """Returns the fields of LoopSettings by name. Raises RunnerError (bad_request) that names the first bad one."""
    return {
        "epochs": fields.integer("epochs", 1, 10_000),
        "learning_rate": fields.number("learningRate", 1e-9, 1.0),
        "batch_size": fields.integer("batchSize", 1, 4096),
        "lora_r": fields.integer("loraR", 1, 1024),
        "lora_alpha": fields.number("loraAlpha", 1e-3, 4096),
        "lora_dropout": fields.number("loraDropout", 0, 0.95),
        "scheduler": fields.choice("scheduler", SCHEDULERS),
        "warmup_ratio": fields.number("warmupRatio", 0, 1),
        "weight_decay": fields.number("weightDecay", 0, 1),
        "save_steps": fields.integer("saveSteps", 0, 1_000_000),
        "seed": fields.integer("seed", 0, 2**53),
        "early_stopping_patience": fields.integer("earlyStoppingPatience", 0, 10_000),
        "max_tokens": fields.integer("maxTokens", 8, 1_048_576),
        "gradient_checkpointing": fields.take("gradientCheckpointing", bool, default=False),
    }
