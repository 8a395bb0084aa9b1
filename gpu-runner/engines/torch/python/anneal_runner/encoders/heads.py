"""The heads on an encoder's vectors: tags of words, classes of texts, relations of pairs of spans."""

from dataclasses import dataclass

import torch
from torch import nn

from ..adapters import Tensors
from .chains import OUTSIDE, Chains
from .layout import Layout

PAIR_WIDTH = 192
DISTANCES = (1, 2, 3, 5, 8, 13, 21, 34)
"""Bounds of the buckets of distance, in words between the first words of two spans; the direction doubles each."""
DROPOUT = 0.1
FIRST_OUTSIDE = 4.0
"""The first score of being outside, in nats."""

SpanPair = tuple[tuple[int, int], tuple[int, int]]
"""First and last words of a head and of a tail."""


class Heads(nn.Module):
    """The weights of all heads, in float32."""

    def __init__(self, layout: Layout, width: int) -> None:
        super().__init__()
        self.layout = layout
        self.dropout = nn.Dropout(DROPOUT)
        if layout.tags:
            self.tags = nn.Linear(width, 3 * len(layout.tags))
            # Most words are outside: a head that begins there need not learn it first.
            with torch.no_grad():
                self.tags.bias.view(-1, 3)[:, OUTSIDE] += FIRST_OUTSIDE
            self.chains = Chains(len(layout.tags))
        if layout.classes:
            self.classes = nn.Linear(width, len(layout.classes))
        if layout.relations:
            self.pairs = PairScorer(width, len(layout.relations))

    def emissions(self, words: torch.Tensor) -> torch.Tensor:
        """Returns the scores [texts, words, tags, states] of word vectors, in float32."""
        scores = self.tags(self.dropout(words)).float()
        return scores.view(*words.shape[:2], len(self.layout.tags), 3)

    def class_scores(self, texts: torch.Tensor) -> torch.Tensor:
        """Returns the scores [texts, classes] of text vectors, in float32."""
        return self.classes(self.dropout(texts)).float()

    def tensors(self) -> Tensors:
        """Returns copies of the weights on the CPU."""
        return {name: value.detach().to("cpu", copy=True).contiguous() for name, value in sorted(self.state_dict().items())}

    def grow_from(self, layout: Layout, tensors: Tensors) -> None:
        """Copies the weights of what an earlier model with another layout knew; the rest stays as it is."""
        own = self.state_dict()
        kinds = [(layout.tags.index(tag), index) for index, tag in enumerate(self.layout.tags) if tag in layout.tags]
        classes = _same(layout.classes, self.layout.classes)
        relations = _same(layout.relations, self.layout.relations)
        for name, value in tensors.items():
            target = own.get(name)
            if target is None:
                continue
            if name.startswith("tags."):
                _copy(target.view(-1, 3, *target.shape[1:]), value.view(-1, 3, *value.shape[1:]), kinds)
            elif name.startswith("chains."):
                _copy(target, value, kinds)
            elif name.startswith("classes."):
                _copy(target, value, classes)
            elif name.startswith("pairs.out."):
                _copy(target, value, relations)
            else:
                target.copy_(value)


@dataclass(frozen=True)
class _Features:
    heads: torch.Tensor
    tails: torch.Tensor
    between: torch.Tensor
    distances: torch.Tensor


class PairScorer(nn.Module):
    """Scores ordered pairs of spans of one text for each relation."""

    def __init__(self, width: int, relations: int) -> None:
        super().__init__()
        self.head = nn.Linear(width, PAIR_WIDTH)
        self.tail = nn.Linear(width, PAIR_WIDTH)
        self.between = nn.Linear(width, PAIR_WIDTH, bias=False)
        self.distance = nn.Embedding(2 * (len(DISTANCES) + 1), PAIR_WIDTH)
        self.dropout = nn.Dropout(DROPOUT)
        self.out = nn.Linear(2 * PAIR_WIDTH, relations)

    def forward(self, words: torch.Tensor, pairs: list[SpanPair]) -> torch.Tensor:
        """Returns the scores [pairs, relations] of pairs, given the vectors [words, width] of their text, in float32."""
        heads, tails = torch.tensor(pairs, device=words.device).unbind(1)
        return self.scores(words, heads, tails)

    def scores(self, words: torch.Tensor, heads: torch.Tensor, tails: torch.Tensor) -> torch.Tensor:
        """Returns what `forward` does, for first and last words [pairs, 2] of heads and of tails."""
        features = _features(words, heads, tails)
        head, tail = self.head(features.heads), self.tail(features.tails)
        summed = head + tail + self.between(features.between) + self.distance(features.distances)
        return self.out(self.dropout(torch.cat([nn.functional.gelu(summed), head * tail / PAIR_WIDTH**0.5], -1))).float()


def _features(words: torch.Tensor, heads: torch.Tensor, tails: torch.Tensor) -> _Features:
    sums = torch.cat([words.new_zeros(1, words.shape[1]), words.float().cumsum(0)])

    def mean(stretches: torch.Tensor) -> torch.Tensor:
        """Returns the mean vectors of stretches of words, given first and last; that of an empty one is zero."""
        first, last = stretches.unbind(1)
        return ((sums[last + 1] - sums[first]) / (last + 1 - first).clamp(min=1).unsqueeze(1)).to(words.dtype)

    offsets = tails[:, 0] - heads[:, 0]
    buckets = (offsets.abs().unsqueeze(1) > torch.tensor(DISTANCES, device=words.device)).sum(1)
    distances = buckets + (len(DISTANCES) + 1) * (offsets < 0)
    return _Features(mean(heads), mean(tails), mean(_between(heads, tails)), distances)


def _between(heads: torch.Tensor, tails: torch.Tensor) -> torch.Tensor:
    """Returns the words between the two of each pair; an empty stretch ends before it begins."""
    is_turned = (heads[:, 0] > tails[:, 0]) | ((heads[:, 0] == tails[:, 0]) & (heads[:, 1] > tails[:, 1]))
    first = torch.where(is_turned, tails[:, 1], heads[:, 1]) + 1
    end = torch.where(is_turned, heads[:, 0], tails[:, 0])
    return torch.stack([first, torch.maximum(end, first) - 1], 1)


def _same(earlier: list[str] | None, now: list[str] | None) -> list[tuple[int, int]]:
    return [(earlier.index(label), index) for index, label in enumerate(now or []) if label in earlier] if earlier else []


def _copy(target: torch.Tensor, value: torch.Tensor, places: list[tuple[int, int]]) -> None:
    for source, index in places:
        target[index].copy_(value[source])
