"""Adds an adapter to the weights of its base."""

from collections.abc import Callable

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from peft.tuners.lora import LoraLayer

from ..adapters import Tensors, set_adapter_tensors
from ..bases import Base
from ..encoders.base import EncoderBase


def merge_adapter(base: Base | EncoderBase, config: LoraConfig, tensors: Tensors, on_progress: Callable[[float], None]) -> None:
    """
    Changes the base's weights in place. Sums are made in float32 and rounded once, to the base's own type.

    Raises RunnerError (artifact) when the adapter is of another base.
    """
    model = get_peft_model(base.model, config, autocast_adapter_dtype=True)
    assert isinstance(model, PeftModel)
    set_adapter_tensors(model, tensors)
    layers = [module for module in model.modules() if isinstance(module, LoraLayer)]
    for index, layer in enumerate(layers):
        weight = layer.get_base_layer().weight
        assert isinstance(weight, torch.Tensor)
        with torch.no_grad():
            delta: torch.Tensor = layer.get_delta_weight("default")  # type: ignore[operator]
            weight.copy_(weight.float() + delta.float())
        on_progress((index + 1) / len(layers))
    base.model = model.unload()  # type: ignore[operator]
