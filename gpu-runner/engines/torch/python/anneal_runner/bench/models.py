"""The things measured: a base, adapters on it, texts."""

import random
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from ..adapters import adapter_tensors, add_adapter, write_adapter
from ..bases import Base

WORDS = "order parcel from to was shipped on Monday and has not arrived at the depot in Ghent yet please check it".split()


@dataclass(frozen=True)
class Shape:
    """The shape of a random model of Llama's type; the defaults are those of SmolLM2-135M."""

    layers: int = 30
    hidden: int = 576
    intermediate: int = 1536
    heads: int = 9
    key_value_heads: int = 3
    vocabulary: int = 49_152
    window: int = 8192


def write_random_base(directory: Path, shape: Shape) -> None:
    """
    Writes a model with random weights in the hub's format. Its tokenizer reads bytes; the rest of the vocabulary is words that
    only the model writes.
    """
    words = sorted(pre_tokenizers.ByteLevel.alphabet())
    words += [f"word{index}" for index in range(len(words), shape.vocabulary - 2)]
    tokenizer = Tokenizer(models.BPE(vocab={word: index for index, word in enumerate(words)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment]
    tokenizer.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>", pad_token="<|pad|>")
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(fast),
        hidden_size=shape.hidden,
        intermediate_size=shape.intermediate,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.key_value_heads,
        max_position_embeddings=shape.window,
        bos_token_id=None,
        eos_token_id=len(words),
        pad_token_id=len(words) + 1,
        tie_word_embeddings=True,
    )
    LlamaForCausalLM(config).save_pretrained(directory)
    fast.save_pretrained(directory)


def write_adapters(base: Base, directory: Path, count: int, rank: int) -> list[Path]:
    """Writes `count` new adapters of a rank, and returns their folders. They leave the base's answers as they are."""
    model = add_adapter(base.model, rank, 2 * rank, 0.0)
    tensors = adapter_tensors(model)
    folders = [directory / f"adapter-{index}" for index in range(count)]
    for folder in folders:
        write_adapter(folder, model, tensors, base.facts)
    base.model = model.unload()  # type: ignore[assignment]
    return folders


def text_of(base: Base, tokens: int, seed: int) -> str:
    """Returns a text of about `tokens` tokens."""
    choice = random.Random(seed)
    words: list[str] = []
    while len(base.tokenizer(" ".join(words))["input_ids"]) < tokens:  # type: ignore[arg-type]
        words.append(choice.choice(WORDS))
    return " ".join(words)
