"""Everything a model finds in texts, before the request's schema selects from it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import torch

from .chains import FoundSpan, SpanFinder
from .heads import Heads, SpanPair
from .layout import Layout, Tag
from .model import EncoderModel
from .texts import EncodedText

MAX_PAIRS = 4096
"""Maximum number of pairs of spans of a text that are scored for relations; those of the likeliest spans come first."""


@dataclass(frozen=True)
class Hit:
    """A span; offsets are code points, end exclusive."""

    start: int
    end: int
    text: str
    confidence: float

    def fields(self) -> dict[str, object]:
        return {"text": self.text, "start": self.start, "end": self.end, "confidence": self.confidence}


class Findings:
    """A text as a model sees it."""

    def __init__(
        self, text: EncodedText, heads: Heads, finder: SpanFinder | None, words: torch.Tensor, classes: torch.Tensor | None
    ) -> None:
        self.text = text
        self.layout: Layout = heads.layout
        self._heads = heads
        self._finder = finder
        self._words = words
        self._classes = classes

    def hits(self, tag: Tag, threshold: float) -> list[Hit]:
        """Returns the spans of a kind, in text order, that do not overlap one another."""
        return [self._hit(span) for span in self._found(tag, threshold)]

    def class_probabilities(self, classes: list[int], multi_label: bool) -> list[float]:
        """
        Returns the probabilities of learned classes. If one is to be chosen they sum to 1; if several may apply, a head that
        learned to choose one keeps the shares that it gave them among all it knows.
        """
        assert self._classes is not None
        if not multi_label:
            return self._classes[classes].softmax(-1).tolist()
        every = self._classes.sigmoid() if self.layout.multi_label else self._classes.softmax(-1)
        return every[classes].tolist()

    @torch.inference_mode()
    def relations(self, relation: str, threshold: float) -> list[tuple[Hit, Hit, float]]:
        """Returns the pairs of a relation with their confidences: of the relation, and of the less certain end."""
        heads, tails = self._found(("head", relation), threshold), self._found(("tail", relation), threshold)
        pairs = [(head, tail) for head in heads for tail in tails if (head.first, head.last) != (tail.first, tail.last)]
        if not pairs:
            return []
        pairs = sorted(pairs, key=lambda pair: -min(pair[0].confidence, pair[1].confidence))[:MAX_PAIRS]
        words: list[SpanPair] = [((head.first, head.last), (tail.first, tail.last)) for head, tail in pairs]
        index = (self.layout.relations or []).index(relation)
        scores = self._heads.pairs(self._words, words)[:, index].sigmoid().tolist()
        found = [
            (self._hit(head), self._hit(tail), score * min(head.confidence, tail.confidence))
            for (head, tail), score in zip(pairs, scores, strict=True)
        ]
        return sorted((each for each in found if each[2] >= threshold), key=lambda each: (each[0].start, each[1].start))

    def _found(self, tag: Tag, threshold: float) -> list[FoundSpan]:
        return [] if self._finder is None else self._finder.find(self.layout.tags.index(tag), threshold)

    def _hit(self, span: FoundSpan) -> Hit:
        start, end = self.text.words[span.first][0], self.text.words[span.last][1]
        return Hit(start, end, self.text.text[start:end], span.confidence)


@torch.inference_mode()
def read_texts(
    model: EncoderModel, texts: Sequence[EncodedText], autocast: Callable[[], AbstractContextManager[object]]
) -> list[Findings]:
    """Returns the findings of a batch of texts. The model must be in evaluation."""
    heads = model.heads
    with autocast():
        vectors = model.vectors(texts)
        emissions = heads.emissions(vectors.words) if heads.layout.tags else None
        classes = heads.class_scores(vectors.texts).cpu() if heads.layout.classes else None
    findings = []
    if emissions is not None:
        # In float64: probabilities of long chains are differences of large numbers.
        emissions, mask = emissions.double().cpu(), vectors.mask.cpu()
        chains = heads.chains.double_on_cpu()
        forward, backward = chains.forward_pass(emissions, mask), chains.backward_pass(emissions, mask)
    for index, text in enumerate(texts):
        finder = None
        count = len(text.words)
        if emissions is not None:
            own = slice(0, count)
            finder = SpanFinder(emissions[index, own], forward[index, own], backward[index, own], chains.scores())
        findings.append(
            Findings(text, heads, finder, vectors.words[index, :count], None if classes is None else classes[index].double())
        )
    return findings
