"""Trained encoders as folders: a plain peft adapter or the whole encoder, and the heads beside it."""

import json
import shutil
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import PreTrainedModel

from ..adapters import WEIGHTS, Tensors, check_facts, damaged, read_adapter, write_adapter, write_facts, write_json
from ..bases import BaseFacts
from ..errors import RunnerError
from .heads import Heads
from .layout import Layout

KIND = "encoder"
FULL_WEIGHTS = "model.safetensors"
HEADS = "heads.safetensors"
LAYOUT = "heads.json"
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
_BACKBONE, _HEADS = "backbone.", "heads."


def joined(backbone: Tensors, heads: Tensors) -> Tensors:
    """Returns the weights of both as one set."""
    return {_BACKBONE + name: value for name, value in backbone.items()} | {_HEADS + name: value for name, value in heads.items()}


def parted(tensors: Tensors) -> tuple[Tensors, Tensors]:
    """Returns the weights of the backbone and of the heads."""

    def under(prefix: str) -> Tensors:
        return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}

    return under(_BACKBONE), under(_HEADS)


def write_encoder(directory: Path, backbone: nn.Module, tensors: Tensors, layout: Layout, facts: BaseFacts) -> None:
    """Writes a servable artifact; `backbone` says whether it is an adapter. The same weights give the same bytes."""
    weights, heads = parted(tensors)
    directory.mkdir(parents=True, exist_ok=True)
    if isinstance(backbone, PeftModel):
        write_adapter(directory, backbone, weights, facts, KIND)
    else:
        save_file(weights, directory / FULL_WEIGHTS, metadata={"format": "pt"})
        write_facts(directory, facts, KIND)
        _write_configuration(directory, backbone, facts)
    save_file(heads, directory / HEADS, metadata={"format": "pt"})
    write_json(directory / LAYOUT, layout.stored())


def _write_configuration(directory: Path, backbone: nn.Module, facts: BaseFacts) -> None:
    """Writes what else `AutoModel` and `AutoTokenizer` need to load the folder."""
    if isinstance(backbone, PreTrainedModel):
        backbone.config.save_pretrained(directory)
    for name in TOKENIZER_FILES:
        if (facts.directory / name).is_file():
            shutil.copyfile(facts.directory / name, directory / name)


def is_full(directory: Path) -> bool:
    """True for an artifact with weights of its own for the whole encoder."""
    return not (directory / WEIGHTS).is_file()


def read_encoder(directory: Path, facts: BaseFacts) -> tuple[Tensors, Layout]:
    """Returns the weights of an artifact and what its heads learned. Raises RunnerError (artifact) as `read_adapter` does."""
    check_facts(directory, facts, KIND)
    try:
        backbone = load_file(directory / FULL_WEIGHTS) if is_full(directory) else read_adapter(directory, facts, KIND)[1]
        heads = load_file(directory / HEADS)
        layout = Layout(**json.loads((directory / LAYOUT).read_text("utf-8")))
    except RunnerError:
        raise
    except Exception as error:  # safetensors raises many types
        raise damaged(error) from error
    return joined(backbone, heads), layout


def load_weights(module: nn.Module, tensors: Tensors) -> None:
    """Replaces the weights of a module. Raises RunnerError (artifact) when they are of another shape."""
    try:
        module.load_state_dict(tensors)
    except RuntimeError as error:
        raise RunnerError("artifact", "The weights do not fit the base model") from error


def load_heads(layout: Layout, width: int, tensors: Tensors, device: torch.device) -> Heads:
    heads: Any = Heads(layout, width)
    load_weights(heads, tensors)
    return heads.eval().requires_grad_(False).to(device)
