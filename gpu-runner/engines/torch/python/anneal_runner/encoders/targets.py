"""Rows as what the heads learn from them, and the loss on batches of them."""

from dataclasses import dataclass

import torch
from torch.nn import functional

from .chains import BEGIN, INSIDE
from .heads import SpanPair
from .layout import Layout, Tag
from .model import EncoderModel
from .rows import LabelledRow
from .texts import EncodedText

MAX_PAIRS = 256
"""Maximum number of pairs of spans by which a row teaches relations."""


@dataclass(frozen=True)
class Item:
    """A row as tensors; None, or an inactive kind, for a head for which it is not labelled."""

    text: EncodedText
    states: torch.Tensor
    """[words, tags]."""
    active: torch.Tensor
    """[tags]: 1 for a kind of span that the row is labelled for."""
    classes: torch.Tensor | None
    """[classes]: 1 for the row's own."""
    pairs: list[SpanPair]
    relations: torch.Tensor | None
    """[pairs, relations]."""
    lost: int
    """Spans that cannot be learned: past the limit of tokens, or within another of the same kind."""


def make_item(row: LabelledRow, text: EncodedText, layout: Layout) -> Item:
    """Returns what a row teaches. Labels that the layout lacks are not learned."""
    index_of = {tag: index for index, tag in enumerate(layout.tags)}
    heads = {"entity": row.entities, "field": row.structures, "head": row.relations, "tail": row.relations}
    active = torch.tensor([float(heads[tag[0]] is not None) for tag in layout.tags])
    states = torch.zeros((len(text.words), len(layout.tags)), dtype=torch.long)
    lost = 0
    for tag, start, end in sorted(_spans(row), key=lambda each: (each[1], -each[2])):
        index = index_of.get(tag)
        if index is None:
            continue
        words = text.span(start, end)
        if words is None or (states[words[0] : words[1] + 1, index] != 0).any():
            lost += 1
            continue
        states[words[0] : words[1] + 1, index] = INSIDE
        states[words[0], index] = BEGIN
    pairs, relations = _pairs(row, text, layout)
    return Item(text, states, active, _classes(row, layout), pairs, relations, lost)


def row_losses(model: EncoderModel, items: list[Item]) -> torch.Tensor:
    """Returns the loss of items in nats, summed over heads and items."""
    vectors = model.vectors([item.text for item in items])
    device = model.device
    layout = model.heads.layout
    total = torch.zeros((), device=device)
    if layout.tags:
        emissions = model.heads.emissions(vectors.words)
        states = torch.zeros(emissions.shape[:3], dtype=torch.long)
        for index, item in enumerate(items):
            states[index, : len(item.states)] = item.states
        active = torch.stack([item.active for item in items]).to(device)
        total = total + (model.heads.chains.loss(emissions, states.to(device), vectors.mask) * active).sum()
    taught = [index for index, item in enumerate(items) if item.classes is not None]
    if layout.classes and taught:
        scores = model.heads.class_scores(vectors.texts[taught])
        wanted = torch.stack([item.classes for item in items if item.classes is not None]).to(device)
        if layout.multi_label:
            total = total + functional.binary_cross_entropy_with_logits(scores, wanted, reduction="sum")
        else:
            total = total + functional.cross_entropy(scores, wanted, reduction="sum")
    for index, item in enumerate(items):
        if item.relations is not None and item.pairs:
            scores = model.heads.pairs(vectors.words[index], item.pairs)
            wanted = item.relations.to(device)
            total = total + functional.binary_cross_entropy_with_logits(scores, wanted, reduction="sum")
    return total


def _spans(row: LabelledRow) -> set[tuple[Tag, int, int]]:
    spans: set[tuple[Tag, int, int]] = {(("entity", label), start, end) for start, end, label in row.entities or []}
    for record in row.structures or []:
        for part, (_, values) in record.fields.items():
            spans.update((("field", record.name, part), start, end) for start, end in values)
    for name, head, tail in row.relations or []:
        spans.update(((("head", name), *head), (("tail", name), *tail)))
    return spans


def _classes(row: LabelledRow, layout: Layout) -> torch.Tensor | None:
    known = layout.classes or []
    if row.labels is None or (not layout.multi_label and (len(row.labels) != 1 or row.labels[0] not in known)):
        return None
    return torch.tensor([float(label in row.labels) for label in known])


def _pairs(row: LabelledRow, text: EncodedText, layout: Layout) -> tuple[list[SpanPair], torch.Tensor | None]:
    """Returns the ordered pairs of all that the row has an entity or the end of a relation at, and their relations."""
    if row.relations is None or not layout.relations:
        return [], None
    gold: dict[SpanPair, set[str]] = {}
    for name, head, tail in row.relations:
        ends = text.span(*head), text.span(*tail)
        if ends[0] is not None and ends[1] is not None:
            gold.setdefault((ends[0], ends[1]), set()).add(name)
    entities = [text.span(start, end) for start, end, _ in row.entities or []]
    spans = sorted({end for pair in gold for end in pair} | {span for span in entities if span is not None})
    others = [(head, tail) for head in spans for tail in spans if head != tail and (head, tail) not in gold]
    pairs = [*gold, *others[: max(0, MAX_PAIRS - len(gold))]]
    wanted = [[float(name in gold.get(pair, ())) for name in layout.relations] for pair in pairs]
    return pairs, torch.tensor(wanted) if pairs else None
