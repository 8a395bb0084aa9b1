"""Answers of one base that are made together, token by token. They join and leave at any step."""

from collections.abc import Callable
from typing import Any

import torch
from transformers import DynamicCache

from .answer import Answer, take_next

PREFILL_TOKENS = 512
"""Maximum tokens of a prompt that are read at once. Between two parts other messages are handled."""
Forward = Callable[..., Any]
"""The model, with `adapters`: a name or None for each row of the batch."""


class Member:
    """An answer in a batch. `position` counts the tokens that the model has read of it."""

    def __init__(self, answer: Answer, adapter: str | None) -> None:
        self.answer = answer
        self.adapter = adapter
        self.position = 0


class Batch:
    """
    Keys and values of all members, padded on the left to the longest.

    Positions are given to the model, so that padding does not shift them; the mask hides it.
    """

    def __init__(self, forward: Forward, device: torch.device) -> None:
        self._forward = forward
        self._device = device
        self.members: list[Member] = []
        self._cache: DynamicCache | None = None
        self._mask = torch.zeros((0, 0), dtype=torch.long, device=device)

    def join(self, member: Member, claim: Callable[[], bool]) -> None:
        """
        Reads a member's prompt, makes its first token and adds it, unless it has ended.

        `claim` is called before each part of the prompt; when it returns False the member was cancelled.
        """
        cache = self.read(member, claim)
        if cache is not None:
            self.add(member, cache)

    def read(self, member: Member, claim: Callable[[], bool]) -> DynamicCache | None:
        """Reads a member's prompt and makes its first token, beside the batch. Returns None when it has ended."""
        prompt = torch.tensor([member.answer.prompt], device=self._device)
        cache = DynamicCache()
        logits = torch.empty(0)
        for start in range(0, prompt.shape[1], PREFILL_TOKENS):
            if not claim():
                member.answer.cancel()
                return None
            part = prompt[:, start : start + PREFILL_TOKENS]
            end = start + part.shape[1]
            logits = self._forward(
                adapters=[member.adapter],
                input_ids=part,
                attention_mask=torch.ones((1, end), dtype=torch.long, device=self._device),
                position_ids=torch.arange(start, end, device=self._device)[None],
                past_key_values=cache,
            )
        member.position = prompt.shape[1]
        take_next([member.answer], logits)
        return cache if member.answer.reason is None else None

    def step(self) -> None:
        """Makes one token of each member."""
        tokens = torch.tensor([[member.answer.last_token] for member in self.members], device=self._device)
        positions = torch.tensor([[member.position] for member in self.members], device=self._device)
        self._mask = torch.nn.functional.pad(self._mask, (0, 1), value=1)
        logits = self._forward(
            adapters=[member.adapter for member in self.members],
            input_ids=tokens,
            attention_mask=self._mask,
            position_ids=positions,
            past_key_values=self._cache,
        )
        for member in self.members:
            member.position += 1
        take_next([member.answer for member in self.members], logits)
        self.remove_ended()

    def remove_ended(self) -> None:
        """Removes the members that have ended, and the padding that only they needed."""
        kept = [index for index, member in enumerate(self.members) if member.answer.reason is None]
        if len(kept) == len(self.members):
            return
        self.members = [self.members[index] for index in kept]
        if not kept:
            self.clear()
            return
        assert self._cache is not None
        rows = torch.tensor(kept, device=self._device)
        self._mask = self._mask[rows]
        padding = int(self._mask.any(dim=0).int().argmax())
        self._mask = self._mask[:, padding:]
        for layer in _layers(self._cache):
            layer.keys = layer.keys[rows, :, padding:]
            layer.values = layer.values[rows, :, padding:]

    def clear(self) -> None:
        self.members = []
        self._cache = None
        self._mask = self._mask[:0, :0]

    def add(self, member: Member, cache: DynamicCache) -> None:
        """Adds a member that was read. When this fails the batch cannot go on."""
        mask = torch.ones((1, member.position), dtype=torch.long, device=self._device)
        if self._cache is None:
            self.members, self._cache, self._mask = [member], cache, mask
            return
        length = max(self._mask.shape[1], mask.shape[1])
        for layer, other in zip(_layers(self._cache), _layers(cache), strict=True):
            layer.keys = torch.cat([_widen(layer.keys, length), _widen(other.keys, length)])
            layer.values = torch.cat([_widen(layer.values, length), _widen(other.values, length)])
        pad = torch.nn.functional.pad
        self._mask = torch.cat([pad(self._mask, (length - self._mask.shape[1], 0)), pad(mask, (length - mask.shape[1], 0))])
        self.members.append(member)


def _layers(cache: DynamicCache) -> list[Any]:
    """Returns the layers that hold states: those of some models use the states of another layer."""
    layers: list[Any] = cache.layers
    return [layer for layer in layers if layer.is_initialized]


def _widen(states: torch.Tensor, length: int) -> torch.Tensor:
    """Pads states of [batch, heads, tokens, width] on the left."""
    return torch.nn.functional.pad(states, (0, 0, length - states.shape[2], 0))
