"""Base models, from a folder in the hub's format (safetensors) or with one GGUF file."""

import inspect
import json
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    BitsAndBytesConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from .chat import render
from .errors import RunnerError
from .failures import is_out_of_memory
from .fields import Fields
from .frames import Message
from .gguf_files import reads_once


@dataclass(frozen=True)
class BaseFacts:
    """A base model: its id in the catalog, the hash of its files as the runner computes it, its folder."""

    id: str
    sha256: str
    directory: Path

    @staticmethod
    def read(message: Message) -> "BaseFacts":
        fields = Fields(message, "`base`")
        facts = BaseFacts(fields.take("id", str), fields.take("sha256", str), Path(fields.take("directory", str)))
        fields.done()
        return facts


@dataclass
class Base:
    """A base model in memory."""

    facts: BaseFacts
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast
    context_tokens: int
    end_tokens: frozenset[int]
    """Tokens that end an answer."""

    @property
    def instruct(self) -> bool:
        return bool(self.tokenizer.chat_template)

    def release(self) -> None:
        """Frees the weights. The model is unusable afterwards."""
        del self.model

    @property
    def byte_size(self) -> int:
        return sum(p.numel() * p.element_size() for p in self.model.parameters())


def load_base(facts: BaseFacts, device: torch.device, dtype: torch.dtype, in_4_bits: bool = False) -> Base:
    """
    Loads a base model and its tokenizer, without running any code of its folder and without any network. `in_4_bits` keeps the
    weights of linear layers as NF4 (Dettmers et al., 2023, arXiv 2305.14314), and computes in `dtype`.

    Raises RunnerError: artifact when files are missing or damaged, unsupported when this engine cannot run the model.
    """
    try:
        where = where_weights_are(facts.directory)
        with reads_once():
            config = AutoConfig.from_pretrained(facts.directory, local_files_only=True, trust_remote_code=False, **where)
            _refuse_unsupported(config)
            tokenizer = AutoTokenizer.from_pretrained(facts.directory, local_files_only=True, trust_remote_code=False, **where)
            model = AutoModelForCausalLM.from_pretrained(
                facts.directory,
                config=config,
                local_files_only=True,
                trust_remote_code=False,
                dtype=dtype,
                use_safetensors=True,
                **where,
                **(_in_4_bits(device, dtype, where) if in_4_bits else {}),
            )
    except Exception as error:  # safetensors and transformers raise many types
        refuse_load(facts, error)
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise RunnerError("unsupported", f"The base model {facts.id} has no tokenizer.json")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    model.eval().requires_grad_(False)
    if not in_4_bits:  # those are on the device already, and cannot be moved
        model.to(device)  # type: ignore[arg-type]
    return Base(facts, model, tokenizer, _context_tokens(config), _end_tokens(model, tokenizer))


def refuse_load(facts: BaseFacts, error: Exception) -> NoReturn:
    """Raises RunnerError (artifact) for what a base model's files met, or the error itself where it says enough."""
    if isinstance(error, RunnerError) or is_out_of_memory(error):
        raise error
    reason = (str(error).replace(str(facts.directory), "its folder").splitlines() or [type(error).__name__])[0]
    raise RunnerError("artifact", f"The base model {facts.id} cannot be loaded ({reason})") from error


def keeps_logits(model: torch.nn.Module) -> bool:
    """True when the model can be told for which places to make logits."""
    return "logits_to_keep" in inspect.signature(model.forward).parameters


def where_weights_are(directory: Path) -> dict[str, Any]:
    """Returns which format the folder holds, as arguments of `from_pretrained`. A folder with pickles alone is refused."""
    if not directory.is_dir():
        raise RunnerError("artifact", "The folder of the base model does not exist")
    if (directory / "config.json").is_file():
        if not any(directory.glob("*.safetensors")):
            raise RunnerError("artifact", "The folder of the base model has no .safetensors file")
        if "auto_map" in json.loads((directory / "config.json").read_text("utf-8")):
            raise RunnerError("unsupported", "The base model needs code of its own (`auto_map`), which is never run")
        return {}
    files = sorted(directory.glob("*.gguf"))
    if len(files) != 1:
        raise RunnerError("artifact", f"The base model's folder has no config.json, and {len(files)} .gguf files (not 1)")
    return {"gguf_file": files[0].name}


def _in_4_bits(device: torch.device, dtype: torch.dtype, where: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of `from_pretrained`. Raises RunnerError (unsupported) where weights cannot be kept in 4 bits."""
    if where:
        raise RunnerError("unsupported", "`load_in_4bit` needs a base model of .safetensors files: a .gguf file is expanded")
    try:
        quantize = import_module("bitsandbytes.functional").quantize_4bit
    except Exception as error:  # its native library may be missing too
        raise RunnerError(
            "unsupported",
            "`load_in_4bit` needs the Python package bitsandbytes, which is not installed in the engine's environment: "
            "install it there with pip, or train without `load_in_4bit`",
        ) from error
    try:
        quantize(torch.ones(64, 64, device=device, dtype=dtype), quant_type="nf4")
    except Exception as error:
        raise RunnerError("unsupported", f"`load_in_4bit` is not supported on this device ({type(error).__name__})") from error
    config = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=dtype,
    )
    return {"quantization_config": config, "device_map": {"": device}}


def _refuse_unsupported(config: Any) -> None:
    """Raises RunnerError (unsupported) for layers that keep another state than keys and values: they cannot share a batch here."""
    text = config.get_text_config(decoder=True)
    kinds = set(getattr(text, "layer_types", None) or ()) - {"full_attention", "sliding_attention"}
    if kinds or config.is_encoder_decoder:
        reason = f"layers of type {', '.join(sorted(kinds))}" if kinds else "an encoder beside the decoder"
        raise RunnerError("unsupported", f"Models with {reason} are not supported by this engine")


def _context_tokens(config: Any) -> int:
    return int(getattr(config.get_text_config(decoder=True), "max_position_embeddings", None) or 2048)


def _end_tokens(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> frozenset[int]:
    generation = getattr(model, "generation_config", None)
    named = [getattr(generation, "eos_token_id", None), model.config.eos_token_id, tokenizer.eos_token_id]
    tokens = _end_of_turn(tokenizer)
    for value in named:
        tokens.update(value if isinstance(value, list) else [] if value is None else [value])
    return frozenset(tokens)


def _end_of_turn(tokenizer: PreTrainedTokenizerFast) -> set[int]:
    """Returns the special token that the chat template writes after an answer, which need not be the tokenizer's end token."""
    answer = "Yes indeed"
    try:
        messages = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": answer}]
        _, found, after = render(tokenizer, messages, prompt=False).rpartition(answer)
    except RunnerError:  # a template that takes other conversations only
        return set()
    if not tokenizer.chat_template or not found:
        return set()
    special = {token for token, added in tokenizer.added_tokens_decoder.items() if added.special}
    tokens: list[int] = tokenizer(after, add_special_tokens=False)["input_ids"]  # type: ignore[assignment]
    return set([token for token in tokens if token in special][:1])
