"""An encoder with its heads, as one module."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from ..machine import autocast
from .base import EncoderBase
from .heads import Heads
from .texts import EncodedText, encode_text


@dataclass(frozen=True)
class Vectors:
    """The vectors that an encoder gives to a batch of texts."""

    words: torch.Tensor
    """[texts, words, width]."""
    mask: torch.Tensor
    """[texts, words]."""
    texts: torch.Tensor
    """[texts, width]: means over the tokens."""


class EncoderModel(nn.Module):
    def __init__(self, backbone: Any, heads: Heads, pad: int) -> None:
        super().__init__()
        self.backbone = backbone
        self.heads = heads
        self._pad = pad

    @property
    def device(self) -> torch.device:
        return next(self.backbone.parameters()).device

    def vectors(self, texts: Sequence[EncodedText]) -> Vectors:
        return read_vectors(self.backbone, texts, self._pad, self.device)


def read_vectors(backbone: Any, texts: Sequence[EncodedText], pad: int, device: torch.device) -> Vectors:
    """Returns the vectors of texts, padded on the right; a text without words has one that is masked."""
    width = max(len(text.tokens) for text in texts)
    longest = max(1, *(len(text.words) for text in texts))
    tokens = torch.full((len(texts), width), pad)
    attention = torch.zeros((len(texts), width), dtype=torch.long)
    first = torch.zeros((len(texts), longest), dtype=torch.long)
    mask = torch.zeros((len(texts), longest), dtype=torch.bool)
    for index, text in enumerate(texts):
        tokens[index, : len(text.tokens)] = torch.tensor(text.tokens)
        attention[index, : len(text.tokens)] = 1
        first[index, : len(text.words)] = torch.tensor(text.first, dtype=torch.long)
        mask[index, : len(text.words)] = True
    words, means = vectors_of(backbone, tokens.to(device), attention.to(device), first.to(device))
    return Vectors(words, mask.to(device), means)


@torch.inference_mode()
def text_vectors(encoder: Any, base: EncoderBase, texts: Sequence[str]) -> torch.Tensor:
    """Returns the vectors of texts, [texts, width], on the CPU. `encoder` is that of the base, with what was trained on it."""
    encoded = [encode_text(base.tokenizer, text, base.max_tokens) for text in texts]
    device = next(encoder.parameters()).device
    pad: Any = base.tokenizer.pad_token_id or 0
    with autocast(device):
        return read_vectors(encoder, encoded, pad, device).texts.float().cpu()


def vectors_of(
    backbone: Any, tokens: torch.Tensor, attention: torch.Tensor, first: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Returns the vectors of words and of texts, as in `Vectors`.

    `tokens` and `attention` (1, or 0 for padding) are [texts, tokens]; `first` is [texts, words], the first token of each word.
    """
    states = backbone(input_ids=tokens, attention_mask=attention).last_hidden_state
    words = states.gather(1, first.unsqueeze(-1).expand(-1, -1, states.shape[-1]))
    weights = attention.unsqueeze(-1)
    means = (states.float() * weights).sum(1) / weights.sum(1)
    # Heads are float32: without autocast they take no vectors of another type.
    return words.float(), means
