"""
Chains of tags: for each kind of span one linear-chain CRF over the words, with the states outside, begin and inside.

Kinds are independent of each other, so spans of several kinds may overlap; spans of one kind may not.
Tensors are [texts, words, kinds, states]; masks are [texts, words].
"""

from dataclasses import dataclass

import torch

OUTSIDE, BEGIN, INSIDE = 0, 1, 2
_NEVER = -1e4
MIN_CONFIDENCE = 1e-4
"""Minimum probability of a span that is found: every two words of a text are the ends of one."""
MAX_AT_ONCE = 1_000_000
"""Maximum number of pairs of words that are scored together."""


class Chains(torch.nn.Module):
    """Weights of the transitions between states; those of the states come from the words."""

    def __init__(self, kinds: int) -> None:
        super().__init__()
        self.transitions = torch.nn.Parameter(torch.zeros(kinds, 3, 3))
        """[kind, from, to]."""
        forbidden = torch.zeros(3, 3)
        forbidden[OUTSIDE, INSIDE] = _NEVER
        self._forbidden: torch.Tensor
        self._first: torch.Tensor
        self.register_buffer("_forbidden", forbidden, persistent=False)
        self.register_buffer("_first", torch.tensor([0.0, 0.0, _NEVER]), persistent=False)

    def scores(self) -> torch.Tensor:
        return self.transitions + self._forbidden

    def double_on_cpu(self) -> "Chains":
        """Returns a copy in float64 on the CPU."""
        copy = Chains(len(self.transitions))
        copy.load_state_dict(self.state_dict())
        return copy.double()

    def loss(self, emissions: torch.Tensor, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Returns the negative log likelihood of states [texts, words, kinds], in nats, for each text and kind."""
        scores = self.scores()
        log_mass = self.forward_pass(emissions, mask)[:, -1].logsumexp(-1)
        on = mask.unsqueeze(-1)
        picked = emissions.gather(-1, states.unsqueeze(-1)).squeeze(-1) * on
        kinds = torch.arange(states.shape[2], device=states.device).expand(states.shape)
        moved = scores[kinds[:, 1:], states[:, :-1], states[:, 1:]] * on[:, 1:]
        return log_mass - picked.sum(1) - moved.sum(1) - self._first[states[:, 0]]

    def forward_pass(self, emissions: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Returns the log mass of all that ends in a state at a word; words past a text's end repeat its last."""
        scores = self.scores()
        mass = [emissions[:, 0] + self._first]
        for at in range(1, emissions.shape[1]):
            moved = (mass[-1].unsqueeze(-1) + scores).logsumexp(-2) + emissions[:, at]
            mass.append(torch.where(mask[:, at, None, None], moved, mass[-1]))
        return torch.stack(mass, 1)

    def backward_pass(self, emissions: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Returns the log mass of all that follows a state at a word."""
        scores = self.scores()
        mass = [torch.zeros_like(emissions[:, 0])]
        for at in range(emissions.shape[1] - 1, 0, -1):
            moved = ((emissions[:, at] + mass[-1]).unsqueeze(-2) + scores).logsumexp(-1)
            mass.append(torch.where(mask[:, at, None, None], moved, mass[-1]))
        return torch.stack(mass[::-1], 1)


@dataclass(frozen=True)
class FoundSpan:
    """First and last word, and the probability that just these are a span of the kind."""

    first: int
    last: int
    confidence: float


class SpanFinder:
    """Finds the spans of one text; tensors are [words, kinds, states] on the CPU, of the text's own words only."""

    def __init__(self, emissions: torch.Tensor, forward: torch.Tensor, backward: torch.Tensor, scores: torch.Tensor) -> None:
        self._emissions = emissions.double()
        self._forward = forward.double()
        self._backward = backward.double()
        self._scores = scores.double()

    def find(self, kind: int, threshold: float) -> list[FoundSpan]:
        """Returns the spans whose probability is at least the threshold, without overlaps (the likelier first), in text order."""
        words = len(self._emissions)
        if words == 0:
            return []
        found = self.likely(kind, max(threshold, MIN_CONFIDENCE))
        taken = [False] * words
        spans = []
        for span in sorted(found, key=lambda span: (-span.confidence, span.first, span.last)):
            if any(taken[span.first : span.last + 1]):
                continue
            taken[span.first : span.last + 1] = [True] * (span.last + 1 - span.first)
            spans.append(span)
        return sorted(spans, key=lambda span: span.first)

    def likely(self, kind: int, threshold: float) -> list[FoundSpan]:
        """Returns all spans whose probability is at least the threshold, overlapping ones too."""
        forward, backward, emissions = self._forward[:, kind], self._backward[:, kind], self._emissions[:, kind]
        scores, total = self._scores[kind], forward[-1].logsumexp(-1)
        words = len(emissions)
        # A span goes on inside, and ends where the next word is not inside, or where the text does.
        inside = (emissions[:, INSIDE] + scores[INSIDE, INSIDE]).cumsum(0)
        after = (emissions + backward)[1:, None, :INSIDE] + scores[None, BEGIN:, :INSIDE]
        ends = torch.cat([after.logsumexp(-1), after.new_zeros(1, 2)])
        begins = (forward[:, BEGIN] + backward[:, BEGIN] - total).exp()
        found = []
        for firsts in (begins >= threshold).nonzero().flatten().split(max(1, MAX_AT_ONCE // words)):
            path = forward[firsts, BEGIN].unsqueeze(1) + inside - inside[firsts].unsqueeze(1)
            logs = path + scores[BEGIN, INSIDE] - scores[INSIDE, INSIDE] + ends[:, INSIDE - BEGIN]
            rows = torch.arange(len(firsts))
            logs[rows, firsts] = forward[firsts, BEGIN] + ends[firsts, 0]
            confidence = (logs - total).exp().clamp(max=1.0)
            likely = (confidence >= threshold) & (torch.arange(words) >= firsts.unsqueeze(1))
            index, lasts = likely.nonzero(as_tuple=True)
            found += map(FoundSpan, firsts[index].tolist(), lasts.tolist(), confidence[likely].tolist())
        return found
