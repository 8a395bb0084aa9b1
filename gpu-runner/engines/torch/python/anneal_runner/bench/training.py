"""LoRA training of one adapter, as a training job does it."""

import json
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from ..adapters import add_adapter
from ..bases import Base
from ..heartbeat import Heartbeat
from ..training.batches import make_batch
from ..training.context import TrainContext
from ..training.decoder import train_decoder
from ..training.loss import summed_loss
from ..training.request import read_request
from ..training.rows import Row, encode_row
from .device import forget_peak, peak_bytes
from .models import text_of
from .recorder import Recorder

STEP_SECONDS = 600.0


@dataclass(frozen=True)
class TrainingFigures:
    rows: int
    """Rows of a step."""
    row_tokens: int
    """Mean tokens of a row."""
    steps: int
    seconds: float
    tokens_per_second: float
    """Tokens a second that are read, those of questions included."""
    flops_per_second: float
    peak_bytes: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure_training(
    base: Base, work: Path, device: torch.device, rows: int, tokens: int, rank: int, steps: int
) -> TrainingFigures:
    """Measures `steps` steps after a first one."""
    work.mkdir()
    conversations = [_conversation(base, tokens, seed) for seed in range(rows * (1 + steps))]
    encoded = [encode_row(base.tokenizer, messages) for messages in conversations]
    # Counted of the rows of one step: they all have as many tokens, give or take one.
    flops = steps * _step_flops(base, encoded[:rows], rank, device)
    file, none = work / "train.jsonl", work / "validation.jsonl"
    file.write_text("".join(json.dumps({"messages": messages}) + "\n" for messages in conversations), "utf-8")
    none.write_text("")
    recorder = Recorder()
    recorder.acknowledge = lambda message: recorder.channel.acknowledge(message["seq"]) if message["type"] == "checkpoint" else None
    heartbeat = Heartbeat(recorder.channel, STEP_SECONDS)
    forget_peak(device)
    train_decoder(
        read_request(_message(base, work, file, none, rows, tokens, rank)),
        TrainContext(recorder.channel, heartbeat, threading.Event(), device),
    )
    times = recorder.times("progress")
    seconds = times[-1] - times[0]
    read = sum(len(row.tokens) for row in encoded) * steps / (1 + steps)
    return TrainingFigures(
        rows=rows,
        row_tokens=round(sum(len(row.tokens) for row in encoded) / len(encoded)),
        steps=steps,
        seconds=seconds,
        tokens_per_second=read / seconds,
        flops_per_second=flops / seconds,
        peak_bytes=peak_bytes(device),
    )


def _conversation(base: Base, tokens: int, seed: int) -> list[dict[str, str]]:
    question, answer = text_of(base, tokens // 2, 2 * seed), text_of(base, tokens // 2, 2 * seed + 1)
    return [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]


def _step_flops(base: Base, rows: list[Row], rank: int, device: torch.device) -> int:
    """Returns the floating-point operations of matrix products in one step: forward, and backward to the adapter's weights."""
    model = add_adapter(base.model, rank, 2 * rank, 0.0)
    # The loss of rows one after another is that of the batch, with less memory.
    with FlopCounterMode(display=False) as counter:
        for row in rows[:1]:
            summed_loss(model, make_batch([[row]], 0, device)).backward()
    base.model = model.unload()  # type: ignore[assignment]
    base.model.requires_grad_(False)
    return counter.get_total_flops() * len(rows)


def _message(base: Base, work: Path, train: Path, validation: Path, rows: int, tokens: int, rank: int) -> dict[str, Any]:
    facts = base.facts
    return {
        "type": "train",
        "kind": "decoder",
        "base": {"id": facts.id, "sha256": facts.sha256, "directory": str(facts.directory)},
        "output": str(work / "output"),
        "train": str(train),
        "validation": str(validation),
        "settings": {
            "epochs": 1,
            "learningRate": 1e-4,
            "batchSize": rows,
            "loraR": rank,
            "loraAlpha": 2.0 * rank,
            "loraDropout": 0.0,
            "scheduler": "constant",
            "warmupRatio": 0.0,
            "weightDecay": 0.0,
            "saveSteps": 0,
            "seed": 0,
            "earlyStoppingPatience": 0,
            # A template adds tokens of its own.
            "maxTokens": 4 * tokens,
            "samples": 0,
        },
    }
