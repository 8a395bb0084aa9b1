"""Answers to labelled rows, in the shape of rows: what the runner computes its figures from."""

from typing import Any

from .answers import without_overlaps
from .findings import Findings, Hit
from .records import Value, group_records
from .rows import LabelledRow

THRESHOLD = 0.5
"""Minimum confidence of what counts as found: gold rows have no confidences to compare with."""


def predicted(row: LabelledRow, findings: Findings) -> dict[str, Any]:
    """Returns the runner's `Prediction` for a row, without its text, for the heads that the row is labelled for."""
    layout = findings.layout
    answer: dict[str, Any] = {}
    if row.entities is not None:
        found = [(label, hit) for label in layout.entities or [] for hit in findings.hits(("entity", label), THRESHOLD)]
        if not overlap(row):
            found = without_overlaps(found)
        answer["entities"] = [{"label": label, **_stretch(hit)} for label, hit in found]
        answer["entityConfidences"] = [hit.confidence for _, hit in found]
    if row.labels is not None:
        chances = dict(zip(layout.classes or [], _probabilities(findings), strict=True))
        best = sorted(chances, key=lambda label: -chances[label])
        labels = [label for label in best if chances[label] >= THRESHOLD] if layout.multi_label else best[:1]
        answer["labels"] = labels
        answer["labelConfidences"] = [chances[label] for label in labels]
    if row.structures is not None:
        answer["structures"] = [
            each for name, parts in (layout.structures or {}).items() for each in _records(name, parts, findings)
        ]
    if row.relations is not None:
        answer["relations"] = [
            {"name": name, "head": _stretch(head), "tail": _stretch(tail)}
            for name in layout.relations or []
            for head, tail, _ in findings.relations(name, THRESHOLD)
        ]
    return answer


def overlap(row: LabelledRow) -> bool:
    """True when entities of a row overlap, in which case found ones may overlap too."""
    spans = sorted((start, end) for start, end, _ in row.entities or [])
    return any(start < end for (_, end), (start, _) in zip(spans, spans[1:], strict=False))


def _probabilities(findings: Findings) -> list[float]:
    classes = findings.layout.classes
    return findings.class_probabilities(list(range(len(classes))), findings.layout.multi_label) if classes else []


def _records(name: str, parts: dict[str, bool], findings: Findings) -> list[dict[str, Any]]:
    values = [Value(part, hit) for part in parts for hit in findings.hits(("field", name, part), THRESHOLD)]
    records = []
    for record in group_records(values, parts):
        fields = {part: [_stretch(hit) for own, hit in record if own == part] for part in parts}
        shown = [{"name": part, "isList": parts[part], "values": own} for part, own in fields.items() if own]
        records.append({"name": name, "fields": shown})
    return records


def _stretch(hit: Hit) -> dict[str, int]:
    return {"start": hit.start, "end": hit.end}
