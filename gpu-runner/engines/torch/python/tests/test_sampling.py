"""How tokens are drawn: beside plain definitions, and alike whatever shares the batch."""

import math
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from test_generation import Server, server  # noqa: F401

from anneal_runner.generation import sampling
from anneal_runner.generation.request import read_request
from anneal_runner.generation.sampling import Draw, choose

WORDS = 700
FIELDS: list[dict[str, Any]] = [
    {},
    {"temperature": 0.7, "topP": 0.9},
    {"temperature": 1.3},
    {"temperature": 0.7, "topK": 5, "topP": 0.8, "logprobs": True, "topLogprobs": 3},
    {"temperature": 2, "frequencyPenalty": 1, "presencePenalty": -1},
    {"frequencyPenalty": 2, "logprobs": True},
    {"temperature": 1, "topP": 1e-6},
]


def _draw(fields: dict[str, Any], seed: int, made: dict[int, int] | None = None, allowed: np.ndarray | None = None) -> Draw:
    request = read_request({"id": "a", "model": "m", "prompt": "x", **fields})
    return Draw(request, random.Random(seed), made or {}, allowed)


def _kept(logits: torch.Tensor, fields: dict[str, Any]) -> set[int]:
    """The tokens that may come, by sorting all of them."""
    probabilities = torch.softmax(logits.double() / fields["temperature"], dim=0)
    order = probabilities.argsort(descending=True).tolist()[: fields.get("topK") or None]
    total = sum(float(probabilities[token]) for token in order)
    kept, before = set(), 0.0
    for token in order:
        if before / total < fields.get("topP", 1):
            kept.add(token)
        before += float(probabilities[token])
    return kept


@pytest.mark.parametrize("first", [4, 512])
@pytest.mark.parametrize("fields", [FIELDS[1], FIELDS[3], {"temperature": 1, "topK": 3}, {"temperature": 1.5, "topP": 0.99}])
def test_the_tokens_that_may_come_are_those_of_the_definitions(
    fields: dict[str, Any], first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "FIRST_CANDIDATES", first)
    logits = 3 * torch.randn(60, generator=torch.Generator().manual_seed(1))
    found = choose(logits.expand(4000, -1), [_draw(fields, seed) for seed in range(4000)])
    counts = Counter(choice.token for choice in found if choice)
    kept = _kept(logits, fields)
    assert set(counts) <= kept
    shares = torch.softmax(logits / fields["temperature"], dim=0)
    total = sum(float(shares[token]) for token in kept)
    for token in kept:
        share = float(shares[token]) / total
        assert counts[token] == pytest.approx(4000 * share, abs=6 * math.sqrt(4000 * share) + 2)


def test_a_row_gets_the_same_tokens_alone_and_in_any_batch() -> None:
    logits = 3 * torch.randn(len(FIELDS), WORDS, generator=torch.Generator().manual_seed(2))
    allowed = np.arange(WORDS) % 3 == 0
    made = {int(token): 2 for token in logits[4].topk(4).indices}

    def draws() -> list[Draw]:
        return [_draw(fields, seed, made, allowed if seed % 2 else None) for seed, fields in enumerate(FIELDS)]

    alone = [repr(choose(logits[row : row + 1], [draw])[0]) for row, draw in enumerate(draws())]
    assert [repr(choice) for choice in choose(logits, draws())] == alone
    backwards = choose(logits.flip(0), draws()[::-1])
    assert [repr(choice) for choice in backwards[::-1]] == alone


def test_penalties_count_what_was_made_and_grammars_bound_what_may_come() -> None:
    logits = torch.tensor([[5.0, 4.5, 0.0]])
    assert _token(logits, _draw({"frequencyPenalty": 0.3}, 0, {0: 1})) == 0
    assert _token(logits, _draw({"frequencyPenalty": 0.3}, 0, {0: 2})) == 1
    assert _token(logits, _draw({"presencePenalty": 1}, 0, {0: 1})) == 1
    assert _token(logits, _draw({"temperature": 2}, 0, {}, np.array([False, False, True]))) == 2


def test_log_probabilities_are_the_models_own() -> None:
    logits = torch.randn(2, WORDS, generator=torch.Generator().manual_seed(3))
    expected = logits.log_softmax(dim=1)
    plain, top = choose(logits, [_draw({"logprobs": True}, 0), _draw(FIELDS[3], 1)])
    assert plain is not None and top is not None and plain.top == []
    assert plain.logprob == pytest.approx(float(expected[0, plain.token]))
    assert top.logprob == pytest.approx(float(expected[1, top.token]))
    assert [token for token, _ in top.top] == expected[1].topk(3).indices.tolist()


def test_a_seed_gives_the_same_text_alone_and_beside_others(server: Server) -> None:  # noqa: F811
    fields = [{"seed": seed, "maxTokens": 24, **own} for seed, own in enumerate(FIELDS)]
    alone = [server.generate(**each).text for each in fields]
    started = [server.start(**each) for each in fields]
    assert [server.result(request).text for request in started] == alone
    assert server.generate(seed=-3, temperature=1.5).text != server.generate(seed=3, temperature=1.5).text


def _token(logits: torch.Tensor, draw: Draw) -> int | None:
    (choice,) = choose(logits, [draw])
    return choice and choice.token
