"""Training of GLiNER2 models on labelled rows, by the losses of their package."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from ..errors import RunnerError
from ..training.objective import Objective
from .answers import Result, without_overlaps
from .base import EncoderBase
from .findings import Hit
from .layout import Layout
from .predictions import overlap
from .rows import LabelledRow, Stretch
from .rows import Record as LabelledRecord
from .schema import ClassificationQuery, EntityQuery, FieldQuery, RelationQuery, Schema, StructureQuery
from .texts import HALVES

TASK = "classification"
"""The task of a row's labels, which the runner's rows do not name."""
MAX_LABELS = 32
"""Maximum number of labels of one head that a row is shown: its own, and others that it lacks."""

Record = dict[str, Any]


@dataclass(frozen=True)
class GlinerItem:
    text: str
    record: Record
    key: str
    """Text that decides, with the settings' seed, the order in which labels are shown."""


def make_record(row: LabelledRow, layout: Layout, key: str) -> Record:
    """Returns a row as the package's schema with its answers. Labels that it lacks are shown too."""
    chance = random.Random(key)
    text = HALVES.sub("\ufffd", row.text)

    def value(stretch: Stretch) -> dict[str, Any]:
        start, end = stretch
        return {"text": text[start:end], "start": start, "end": end}

    record: Record = {}
    if row.entities is not None:
        own = {label for *_, label in row.entities}
        shown = _shown(layout.entities, own, chance)
        record["entities"] = {label: [value((start, end)) for start, end, each in row.entities if each == label] for label in shown}
    if row.labels is not None and layout.classes:
        shown = _shown(layout.classes, set(row.labels), chance)
        record["classifications"] = [
            {
                "task": TASK,
                "labels": shown,
                "multi_label": layout.multi_label,
                "true_label": [each for each in row.labels if each in shown],
            }
        ]
    if row.structures is not None:
        record["json_structures"] = [
            {
                each.name: {
                    part: [value(own) for own in values] if is_list else value(values[0])
                    for part, (is_list, values) in each.fields.items()
                    if values
                }
            }
            for each in row.structures
        ]
    if row.relations is not None:
        record["relations"] = [{name: {"head": value(head), "tail": value(tail)}} for name, head, tail in row.relations]
    return record


def own_schema(layout: Layout, threshold: float) -> Schema:
    """Returns what asks for all that a layout knows."""
    return Schema(
        entities=None if layout.entities is None else [EntityQuery(label, None, threshold) for label in layout.entities],
        classifications=None
        if not layout.classes
        else [ClassificationQuery(TASK, layout.classes, {}, layout.multi_label, None, threshold)],
        structures=None
        if layout.structures is None
        else [
            StructureQuery(name, [FieldQuery(part, is_list, None, None, threshold) for part, is_list in parts.items()])
            for name, parts in layout.structures.items()
        ],
        relations=None
        if layout.relations is None
        else [RelationQuery(name, None, None, None, threshold) for name in layout.relations],
        flat=False,
        threshold=threshold,
    )


def cut(row: LabelledRow, end: int) -> LabelledRow:
    """Returns a row without what lies past a place in its text."""

    def whole(stretch: Stretch) -> bool:
        return stretch[1] <= end

    structures = None
    if row.structures is not None:
        kept = [
            LabelledRecord(
                each.name, {part: (is_list, [v for v in values if whole(v)]) for part, (is_list, values) in each.fields.items()}
            )
            for each in row.structures
        ]
        structures = [each for each in kept if any(values for _, values in each.fields.values())]
    return LabelledRow(
        row.text[:end],
        None if row.entities is None else [each for each in row.entities if each[1] <= end],
        row.labels,
        structures,
        None if row.relations is None else [each for each in row.relations if whole(each[1]) and whole(each[2])],
    )


def predicted_by(row: LabelledRow, result: Result) -> dict[str, Any]:
    """Returns the runner's `Prediction` for a row, without its text, for the heads that the row is labelled for."""
    prediction: dict[str, Any] = {}
    if row.entities is not None:
        hits = [
            (label, Hit(hit["start"], hit["end"], hit["text"], hit["confidence"]))
            for label, own in result.get("entities", {}).items()
            for hit in own
        ]
        found = hits if overlap(row) else without_overlaps(hits)
        prediction["entities"] = [{"label": label, "start": hit.start, "end": hit.end} for label, hit in found]
        prediction["entityConfidences"] = [hit.confidence for _, hit in found]
    if row.labels is not None:
        chosen = result.get("classifications", {}).get(TASK, [])
        prediction["labels"] = [hit["label"] for hit in chosen]
        prediction["labelConfidences"] = [hit["confidence"] for hit in chosen]
    if row.structures is not None:
        prediction["structures"] = [
            {
                "name": name,
                "fields": [{"name": part, "isList": len(v) > 1, "values": [_place(h) for h in v]} for part, v in record.items()],
            }
            for name, records in result.get("structures", {}).items()
            for record in records
        ]
    if row.relations is not None:
        prediction["relations"] = [
            {"name": name, "head": _place(pair["head"]), "tail": _place(pair["tail"])}
            for name, pairs in result.get("relations", {}).items()
            for pair in pairs
        ]
    return prediction


def _place(hit: dict[str, Any]) -> dict[str, int]:
    return {"start": hit["start"], "end": hit["end"]}


def gliner_objective(base: EncoderBase, model: Any, is_training: Callable[[], bool], seed: int) -> Objective[GlinerItem, Any]:
    """Returns the loss of the package, summed over rows."""
    own = base.model
    # A boundary model's loss is a mean over the batch, a span model's a sum.
    is_mean = own.architecture == "boundary"

    def batch(items: list[GlinerItem]) -> Any:
        rows = [(item.text, item.record) for item in items]
        options = {"architecture": own.architecture, "on_capacity_exceeded": "truncate_with_warning"}
        try:
            with _seeded(f"{seed} {items[0].key}"):
                if is_training():
                    prepared = own.processor.collate_fn_train(rows, **options)
                else:
                    prepared = own.processor.collate_fn_inference(rows, build_targets=True, **options)
        except (ValueError, KeyError, IndexError) as error:
            raise RunnerError("training", f"The GLiNER2 package cannot learn from some of the rows ({error})") from error
        return prepared.to(next(own.parameters()).device)

    def loss(prepared: Any) -> torch.Tensor:
        output = model(prepared)
        total = output["total_loss"] if isinstance(output, dict) else output.total_loss
        if not is_mean and output["batch_size"] != len(prepared):
            raise RunnerError("training", "The GLiNER2 package cannot learn from some of the rows")
        if total is None:
            return torch.zeros((), device=next(model.parameters()).device, requires_grad=True)
        return total * len(prepared) if is_mean else total

    return Objective(batch, loss, weight=len)


def _shown(known: list[str] | None, own: set[str], chance: random.Random) -> list[str]:
    others = [label for label in known or [] if label not in own]
    chance.shuffle(others)
    shown = own.union(others[: max(0, MAX_LABELS - len(own))])
    return [label for label in known or [] if label in shown]


@contextmanager
def _seeded(key: str) -> Iterator[None]:
    """Seeds Python's own random numbers, by which the package shuffles labels, so that each run shows the same order."""
    state = random.getstate()
    random.seed(key)
    try:
        yield
    finally:
        random.setstate(state)
