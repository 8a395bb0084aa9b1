"""Text encoders from a folder in the hub's format."""

from dataclasses import dataclass
from typing import Any

import torch
from transformers import AutoConfig, AutoModel, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerFast

from ..bases import BaseFacts, refuse_load, where_weights_are
from ..errors import RunnerError

DEFAULT_MAX_TOKENS = 512


@dataclass
class EncoderBase:
    """A text encoder in memory, without a pooler."""

    facts: BaseFacts
    model: Any
    tokenizer: PreTrainedTokenizerFast
    max_tokens: int
    """Maximum tokens of one text."""

    @property
    def byte_size(self) -> int:
        return sum(p.numel() * p.element_size() for p in self.model.parameters())

    @property
    def width(self) -> int:
        return int(self.model.config.hidden_size)

    def release(self) -> None:
        """Frees the weights. The model is unusable afterwards."""
        del self.model


def load_encoder(facts: BaseFacts, device: torch.device, dtype: torch.dtype) -> EncoderBase:
    """
    Loads a text encoder and its tokenizer, without running any code of its folder and without any network.

    Raises RunnerError: artifact when files are missing or damaged, unsupported when the model is no text encoder.
    """
    try:
        if where_weights_are(facts.directory):
            raise RunnerError("unsupported", f"The base model {facts.id} is a GGUF file, not a text encoder")
        config = AutoConfig.from_pretrained(facts.directory, local_files_only=True, trust_remote_code=False)
        _refuse_unsupported(facts, config)
        tokenizer = AutoTokenizer.from_pretrained(facts.directory, local_files_only=True, trust_remote_code=False)
        model, info = AutoModel.from_pretrained(
            facts.directory,
            local_files_only=True,
            trust_remote_code=False,
            dtype=dtype,
            use_safetensors=True,
            output_loading_info=True,
        )
    except Exception as error:  # safetensors and transformers raise many types
        refuse_load(facts, error)
    missing = sorted(name for name in info["missing_keys"] if "pooler" not in name)
    if missing:
        raise RunnerError("artifact", f"The base model {facts.id} lacks weights: {', '.join(missing[:3])}")
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise RunnerError("unsupported", f"The base model {facts.id} has no tokenizer.json")
    if getattr(model, "pooler", None) is not None:
        model.pooler = None  # not used: its weights would be trained and stored for nothing
    model.eval().requires_grad_(False).to(device)
    return EncoderBase(facts, model, tokenizer, _max_tokens(model, tokenizer))


def _refuse_unsupported(facts: BaseFacts, config: object) -> None:
    names = getattr(config, "architectures", None) or []
    decodes = any("CausalLM" in name or "LMHead" in name for name in names)
    if decodes or getattr(config, "is_encoder_decoder", False) or getattr(config, "is_decoder", False):
        raise RunnerError("unsupported", f"The base model {facts.id} is no text encoder ({', '.join(names)})")


def _max_tokens(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> int:
    positions = int(getattr(model.config, "max_position_embeddings", None) or DEFAULT_MAX_TOKENS)
    table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    # RoBERTa's positions begin after the one of padding.
    unused = getattr(table, "padding_idx", None)
    return min(positions - (0 if unused is None else unused + 1), int(tokenizer.model_max_length))
