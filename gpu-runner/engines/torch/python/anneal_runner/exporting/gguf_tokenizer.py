"""A byte-level BPE tokenizer as fields of a GGUF file."""

import json
from typing import Any

from gguf import GGUFWriter, TokenType

from ..bases import Base
from ..errors import RunnerError

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SPLITS = {
    _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}" + _REST: "llama-bpe",
    _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}" + _REST: "qwen2",
}
"""Names of how texts are split in GGUF (`tokenizer.ggml.pre`), by the expression of tokenizer.json."""


def write_tokenizer(writer: GGUFWriter, base: Base) -> None:
    """
    Writes the tokenizer's fields.

    Raises RunnerError (unsupported) for a tokenizer of another kind, or that splits texts in a way that GGUF has no name for.
    """
    tokenizer: Any = base.tokenizer
    parts: dict[str, Any] = json.loads(tokenizer.backend_tokenizer.to_str())
    model = parts["model"]
    if model["type"] != "BPE" or model.get("byte_fallback") or (parts["decoder"] or {}).get("type") != "ByteLevel":
        raise RunnerError("unsupported", "Models whose tokenizer is not a byte-level BPE are not written as GGUF")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(_split_of(parts))
    tokens, types = _tokens(base, model)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges([each if isinstance(each, str) else " ".join(each) for each in model["merges"]])
    if tokenizer.bos_token_id is not None:
        writer.add_bos_token_id(tokenizer.bos_token_id)
    ends = sorted(base.end_tokens)
    eos = tokenizer.eos_token_id if tokenizer.eos_token_id in ends else ends[0]
    writer.add_eos_token_id(eos)
    for token in ends:
        if token != eos:
            writer.add_eot_token_id(token)
    if tokenizer.pad_token_id is not None:
        writer.add_pad_token_id(tokenizer.pad_token_id)
    first = tokenizer("a")["input_ids"][0]
    writer.add_add_bos_token(tokenizer.bos_token_id is not None and first == tokenizer.bos_token_id)
    if isinstance(tokenizer.chat_template, str):
        writer.add_chat_template(tokenizer.chat_template)


def _tokens(base: Base, model: dict[str, Any]) -> tuple[list[str], list[TokenType]]:
    """Returns the tokens in the order of their ids, with placeholders where the model has rows for none."""
    size: int = base.model.config.vocab_size  # type: ignore[union-attr]
    by_id = {index: token for token, index in model["vocab"].items()}
    added = base.tokenizer.added_tokens_decoder
    tokens, types = [], []
    for index in range(size):
        if index in added:
            tokens.append(added[index].content)
            types.append(TokenType.CONTROL if added[index].special else TokenType.USER_DEFINED)
        elif index in by_id:
            tokens.append(by_id[index])
            types.append(TokenType.NORMAL)
        else:
            tokens.append(f"[PAD{index}]")
            types.append(TokenType.UNUSED)
    return tokens, types


def _split_of(parts: dict[str, Any]) -> str:
    splits = parts["pre_tokenizer"] or {}
    steps = splits["pretokenizers"] if splits.get("type") == "Sequence" else [splits]
    match [(step.get("type"), step) for step in steps]:
        case [("ByteLevel", level)] if level["use_regex"] and not level["add_prefix_space"]:
            return "gpt-2"
        case [("Digits", digits), ("ByteLevel", level)] if digits["individual_digits"] and level["use_regex"]:
            return "smollm"
        case [("Split", split), ("ByteLevel", level)] if not level["use_regex"]:
            name = SPLITS.get(split["pattern"].get("Regex", ""))
            # The tokenizer of Llama 3 takes whole words before it merges, and llama.cpp does so by this name.
            if name is not None and bool(parts["model"].get("ignore_merges")) == (name == "llama-bpe"):
                return name
    raise RunnerError("unsupported", "The model's tokenizer splits texts in a way that GGUF has no name for")
