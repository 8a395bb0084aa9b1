"""LoRA adapters as folders: plain peft files, written the same way each time, and `anneal.json`."""

import json
from enum import Enum
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model, get_peft_model_state_dict, set_peft_model_state_dict
from safetensors.torch import load_file, save_file
from transformers import PreTrainedModel

from .bases import BaseFacts
from .errors import RunnerError

ARTIFACT_VERSION = 1
"""Version of artifacts. Raised when earlier ones can no longer be served."""
WEIGHTS = "adapter_model.safetensors"
CONFIG = "adapter_config.json"
FACTS = "anneal.json"
Tensors = dict[str, torch.Tensor]


def add_adapter(model: PreTrainedModel, r: int, alpha: float, dropout: float, task_type: str = "CAUSAL_LM") -> PeftModel:
    """
    Returns the model with a new float32 adapter on each linear layer but the head, from torch's random state.

    Raises RunnerError (training) for a model whose experts have weights of their own.
    """
    config = LoraConfig(
        r=r,
        lora_alpha=alpha,  # type: ignore[arg-type]
        lora_dropout=dropout,
        target_modules="all-linear",
        bias="none",
        task_type=task_type,  # type: ignore[arg-type]
    )
    adapted = get_peft_model(model, config, autocast_adapter_dtype=True)
    assert isinstance(adapted, PeftModel)
    try:
        refuse_variants(config)  # peft adds to it what the model's experts need
    except ValueError as error:
        raise RunnerError("training", "Models with a mixture of experts cannot be trained") from error
    return adapted


def refuse_variants(config: LoraConfig) -> None:
    """Raises ValueError for variants of LoRA that this engine never writes."""
    variants = ("use_dora", "modules_to_save", "rank_pattern", "alpha_pattern", "trainable_token_indices", "target_parameters")
    named = [name for name in variants if getattr(config, name, None)]
    if named or config.bias != "none":
        raise ValueError(f"it uses {', '.join(named) or 'a bias'}")


def adapter_tensors(model: PeftModel) -> Tensors:
    """Returns copies of the adapter's weights, by peft's names, on the CPU."""
    state = get_peft_model_state_dict(model, save_embedding_layers=False)
    return {name: state[name].detach().to("cpu", copy=True).contiguous() for name in sorted(state)}


def set_adapter_tensors(model: PeftModel, tensors: Tensors) -> None:
    """Replaces the adapter's weights. Raises RunnerError (artifact) when they are of another shape."""
    current = get_peft_model_state_dict(model, save_embedding_layers=False)
    if {name: t.shape for name, t in current.items()} != {name: t.shape for name, t in tensors.items()}:
        raise RunnerError("artifact", "The adapter to start from has another rank, or is of another base model")
    set_peft_model_state_dict(model, tensors)


def write_adapter(directory: Path, model: PeftModel, tensors: Tensors, facts: BaseFacts, kind: str = "decoder") -> None:
    """Writes an adapter that `PeftModel.from_pretrained` loads. The same weights give the same bytes."""
    directory.mkdir(parents=True, exist_ok=True)
    save_file(tensors, directory / WEIGHTS, metadata={"format": "pt"})
    config = model.peft_config["default"].to_dict() | {"base_model_name_or_path": facts.id, "inference_mode": True}
    write_json(directory / CONFIG, {name: _plain(value) for name, value in config.items()})
    write_facts(directory, facts, kind)


def write_facts(directory: Path, facts: BaseFacts, kind: str) -> None:
    """Writes which engine made an artifact, of which kind, and on which base."""
    base = {"id": facts.id, "sha256": facts.sha256}
    write_json(directory / FACTS, {"engine": "torch", "artifactVersion": ARTIFACT_VERSION, "kind": kind, "base": base})


def read_adapter(directory: Path, facts: BaseFacts, kind: str = "decoder") -> tuple[LoraConfig, Tensors]:
    """Returns an adapter's configuration and weights. Raises RunnerError (artifact) when it is damaged, or of another base."""
    check_facts(directory, facts, kind)
    try:
        config = LoraConfig.from_pretrained(str(directory))
        tensors = load_file(directory / WEIGHTS)
    except Exception as error:  # safetensors and peft raise many types
        raise damaged(error) from error
    assert isinstance(config, LoraConfig)
    return config, tensors


def check_facts(directory: Path, facts: BaseFacts, kind: str) -> None:
    """Raises RunnerError (artifact) when an artifact is damaged, of another kind or version, or of another base."""
    try:
        about = json.loads((directory / FACTS).read_text("utf-8"))
    except Exception as error:
        raise damaged(error) from error
    if about.get("engine") != "torch" or about.get("artifactVersion") != ARTIFACT_VERSION:
        raise RunnerError("artifact", "The adapter was made by another version of the engine: train again")
    if about["kind"] != kind:
        raise RunnerError("artifact", f"The adapter is of a model of another kind ({about['kind']}, not {kind})")
    if about["base"]["sha256"] != facts.sha256:
        raise RunnerError("artifact", f"The adapter was trained on {about['base']['id']}, whose files were others: train again")


def damaged(error: Exception) -> RunnerError:
    return RunnerError("artifact", f"The adapter is damaged ({type(error).__name__})")


def _plain(value: Any) -> Any:
    """Returns a value of a peft configuration as JSON that does not depend on hash seeds."""
    if isinstance(value, set):
        return sorted(value)
    return value.value if isinstance(value, Enum) else value


def write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2, sort_keys=True) + "\n", "utf-8")
