"""A merged model as a folder in the hub's format."""

import json
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open

from ..bases import Base
from ..errors import RunnerError

MAX_SHARD = "5GB"
TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
    "tokenizer.model",
    "chat_template.jinja",
    "chat_template.json",
)
DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


def stored_dtype(directory: Path) -> torch.dtype:
    """
    Returns the type of numbers that a base's files hold, of its first matrix. A GGUF file gives float32, to which it is expanded.

    Raises RunnerError (unsupported) for any other type.
    """
    files = sorted(directory.glob("*.safetensors"))
    if not files:
        return torch.float32
    with safe_open(files[0], "pt") as tensors:  # type: ignore[no-untyped-call]
        for name in tensors.keys():  # noqa: SIM118 (no mapping)
            part = tensors.get_slice(name)
            if len(part.get_shape()) == 2:
                if part.get_dtype() not in DTYPES:
                    raise RunnerError("unsupported", f"A base model with weights of type {part.get_dtype()} cannot be exported")
                return DTYPES[part.get_dtype()]
    return torch.float32


def write_merged(base: Base, directory: Path) -> None:
    """Writes weights, configuration, tokenizer, chat template and generation settings."""
    generation = base.model.generation_config
    if generation is not None:
        # Other programs must end answers where this engine does.
        generation.eos_token_id = sorted(base.end_tokens)
    _forget_quantisation(base.model)
    base.model.save_pretrained(directory, max_shard_size=MAX_SHARD)
    files = [base.facts.directory / name for name in TOKENIZER_FILES]
    if (base.facts.directory / "tokenizer.json").is_file():
        for file in files:
            if file.is_file():
                shutil.copyfile(file, directory / file.name)
    else:
        base.tokenizer.save_pretrained(directory)
    _without_paths(directory / "config.json")


def _forget_quantisation(model: Any) -> None:
    """Unmarks a model as quantised, as transformers takes one from a GGUF file, though its weights were expanded on loading."""
    model.hf_quantizer = None
    model.is_quantized = False
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config


def _without_paths(path: Path) -> None:
    """Removes the path of the base on this machine from a configuration."""
    config = json.loads(path.read_text("utf-8"))
    config.pop("_name_or_path", None)
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", "utf-8")
