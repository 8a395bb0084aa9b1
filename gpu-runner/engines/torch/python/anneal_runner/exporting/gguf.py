"""A merged model as one GGUF file, as llama.cpp and transformers load it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Type
from gguf import GGUFReader, GGUFValueType, GGUFWriter

from ..bases import Base
from ..errors import RunnerError
from .gguf_tokenizer import write_tokenizer

ARCHITECTURES = {"llama": "llama", "mistral": "llama", "qwen2": "qwen2", "qwen3": "qwen3"}
"""Names of architectures in GGUF, by those of transformers."""
PERMUTED = ("llama",)
"""Architectures of GGUF whose queries and keys lie in another order than in transformers."""
MATRICES = {"gguf": Type.F16, "gguf-q8_0": Type.Q8_0}
FILE_TYPES = {"gguf": gguf.LlamaFileType.MOSTLY_F16, "gguf-q8_0": gguf.LlamaFileType.MOSTLY_Q8_0}
FILE_NAMES = {"gguf": "model-f16.gguf", "gguf-q8_0": "model-q8_0.gguf"}
MAX_FLOAT16 = 65504


def require_gguf(base: Base) -> str:
    """Returns the architecture's name in GGUF. Raises RunnerError (unsupported) for a model that is not written as GGUF."""
    config: Any = base.model.config
    name = config.model_type
    if name not in ARCHITECTURES:
        known = ", ".join(sorted(ARCHITECTURES))
        raise RunnerError("unsupported", f"Models of architecture {name} are not written as GGUF: known are {known}")
    scaling = (getattr(config, "rope_parameters", None) or {}).get("rope_type", "default")
    if scaling != "default":
        raise RunnerError("unsupported", f"Models with rotary embeddings of type {scaling} are not written as GGUF")
    if "sliding_attention" in (getattr(config, "layer_types", None) or ()) or (name == "mistral" and config.sliding_window):
        raise RunnerError("unsupported", "Models with sliding-window attention are not written as GGUF")
    return ARCHITECTURES[name]


def write_gguf(base: Base, directory: Path, format: str, on_progress: Callable[[float], None]) -> None:
    """
    Writes matrices in float16 or 8 bits and everything else in float32, a tensor at a time.

    Raises RunnerError (unsupported) for a tokenizer or for weights that the format cannot hold.
    """
    architecture = require_gguf(base)
    path = directory / FILE_NAMES[format]
    writer = GGUFWriter(path, architecture)
    _write_facts(writer, base, architecture, format)
    source = _gguf_of(base)
    if source is None:
        write_tokenizer(writer, base)
    else:
        _copy_tokenizer(writer, source)
    tensors = _tensors(base, architecture)
    for name, tensor in tensors.items():
        type = _type_of(tensor, format)
        shape = tuple(tensor.shape)
        dtype = np.dtype(np.float16 if type is Type.F16 else np.float32)
        writer.add_tensor_info(name, shape, dtype, _byte_size(shape, type), raw_dtype=type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    config: Any = base.model.config
    for index, (name, tensor) in enumerate(tensors.items()):
        values = tensor.detach().float().numpy()
        if architecture in PERMUTED and ".attn_q." in name:
            values = _permuted(values, config.num_attention_heads)
        if architecture in PERMUTED and ".attn_k." in name:
            values = _permuted(values, config.num_key_value_heads)
        writer.write_tensor_data(_encoded(values, _type_of(tensor, format), name))
        on_progress((index + 1) / len(tensors))
    writer.close()


def _write_facts(writer: GGUFWriter, base: Base, architecture: str, format: str) -> None:
    config: Any = base.model.config
    rope = getattr(config, "rope_parameters", None) or {}
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    writer.add_name(base.facts.id)
    writer.add_file_type(FILE_TYPES[format])
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(head)
    writer.add_value_length(head)
    writer.add_rope_freq_base(float(rope.get("rope_theta") or 10_000.0))
    if architecture == "llama":
        writer.add_rope_dimension_count(head)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)


def _tensors(base: Base, architecture: str) -> dict[str, torch.Tensor]:
    """Returns the weights by their names in GGUF. Raises RunnerError (unsupported) for one that has no name there."""
    config: Any = base.model.config
    arch = next(key for key, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture)
    names = gguf.get_tensor_name_map(arch, config.num_hidden_layers)
    tensors: dict[str, torch.Tensor] = {}
    for name, tensor in base.model.state_dict().items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        mapped = names.get_name(name, try_suffixes=(".weight", ".bias"))
        if mapped is None:
            raise RunnerError("unsupported", f"The model has weights {name}, which GGUF has no name for")
        tensors[mapped] = tensor
    return tensors


def _type_of(tensor: torch.Tensor, format: str) -> Type:
    """Returns the type of a tensor: float32 for vectors, float16 for rows that do not fill whole blocks of 32 numbers."""
    if tensor.dim() < 2:
        return Type.F32
    type = MATRICES[format]
    return Type.F16 if type is Type.Q8_0 and tensor.shape[-1] % 32 else type


def _byte_size(shape: tuple[int, ...], type: Type) -> int:
    block, size = gguf.GGML_QUANT_SIZES[type]
    return int(np.prod(shape)) // block * size


def _encoded(values: Any, type: Type, name: str) -> Any:
    if type is not Type.F32 and float(np.abs(values).max(initial=0)) > MAX_FLOAT16:
        raise RunnerError("unsupported", f"The model's weights {name} are too large for float16")
    return gguf.quants.quantize(np.ascontiguousarray(values), type)


def _permuted(values: Any, heads: int) -> Any:
    """Returns rows in GGUF's order: rotary pairs lie side by side there, and half a head apart in transformers."""
    return values.reshape(heads, 2, values.shape[0] // heads // 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)


def _gguf_of(base: Base) -> Path | None:
    """Returns the file of a base that is GGUF itself."""
    return None if (base.facts.directory / "config.json").is_file() else next(base.facts.directory.glob("*.gguf"))


def _copy_tokenizer(writer: GGUFWriter, source: Path) -> None:
    for key, field in GGUFReader(source).fields.items():
        if key.startswith("tokenizer."):
            sub_type = field.types[-1] if field.types[0] is GGUFValueType.ARRAY else None
            writer.add_key_value(key, field.contents(), field.types[0], sub_type)
