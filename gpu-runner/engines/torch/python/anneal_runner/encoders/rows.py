"""Labelled rows: the engine's `Example` as JSON lines, with offsets in code points."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import RunnerError
from .layout import Layout

Stretch = tuple[int, int]


@dataclass(frozen=True)
class Record:
    """An instance of a structure: for each field, whether it is a list, and its values."""

    name: str
    fields: dict[str, tuple[bool, list[Stretch]]]


@dataclass(frozen=True)
class Source:
    """The place of a row in the dataset versions of its job: `RowSource` of the runner."""

    dataset: int
    row: int
    start: int
    bytes: int


@dataclass(frozen=True)
class LabelledRow:
    """A text with its labels for each head; None for a head for which it is not labelled."""

    text: str
    entities: list[tuple[int, int, str]] | None
    labels: list[str] | None
    structures: list[Record] | None
    relations: list[tuple[str, Stretch, Stretch]] | None
    source: Source | None = field(default=None, repr=False)
    """Place of the row, for explanations only; None where the runner names none."""


def read_rows(path: Path) -> list[LabelledRow]:
    """Returns the rows of a file. Raises RunnerError (training) that names the first bad one."""
    rows = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                rows.append(_row(json.loads(line)))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise RunnerError("training", f"Row {number} is no labelled row") from error
    return rows


def layout_of(rows: list[LabelledRow], multi_label: bool, earlier: Layout | None) -> Layout:
    """Returns what rows teach, after what an earlier model knows; a head that no row is labelled for is left as it was."""
    entities = _joined(
        earlier and earlier.entities, [[label for *_, label in row.entities] for row in rows if row.entities is not None]
    )
    classes = _joined(earlier and earlier.classes, [row.labels for row in rows if row.labels is not None])
    relations = _joined(
        earlier and earlier.relations, [[name for name, *_ in row.relations] for row in rows if row.relations is not None]
    )
    structures = earlier and earlier.structures
    if any(row.structures is not None for row in rows):
        structures = {name: dict(fields) for name, fields in (structures or {}).items()}
        for record in (record for row in rows for record in row.structures or []):
            known = structures.setdefault(record.name, {})
            for part, (is_list, _) in sorted(record.fields.items()):
                known[part] = is_list or known.get(part, False)
    return Layout(entities, classes, multi_label, structures, relations)


def require_learnable(rows: list[LabelledRow], layout: Layout) -> None:
    """Raises RunnerError (training) where no row has a label, or all have the one class that there is."""
    if not layout.tags and not layout.classes:
        raise RunnerError("training", "No training row has a label: there is nothing to learn")
    labelled = [row.labels for row in rows if row.labels is not None]
    if layout.classes is None or len(layout.classes) != 1 or not labelled:
        return
    shown = json.dumps(layout.classes[0], ensure_ascii=False)
    if not layout.multi_label:
        raise RunnerError(
            "training",
            f"All {len(labelled)} training rows have the class {shown}: there is nothing to tell apart. "
            "Add rows of at least one other class.",
        )
    if all(labelled):
        raise RunnerError("training", f"Every training row has the one class {shown}: add rows without it, or with others.")


def _joined(earlier: list[str] | None, labels: list[list[str]]) -> list[str] | None:
    if not labels:
        return earlier
    known = earlier or []
    return known + sorted({label for each in labels for label in each} - set(known))


def _row(value: Any) -> LabelledRow:
    entities, structures, relations = (value.get(name) for name in ("entities", "structures", "relations"))
    text, labels = value["text"], value.get("labels")
    if not isinstance(text, str) or not (labels is None or all(isinstance(label, str) for label in labels)):
        raise TypeError
    return LabelledRow(
        text,
        None if entities is None else [(*_stretch(text, each), _text(each["label"])) for each in entities],
        labels,
        None if structures is None else [_record(text, each) for each in structures],
        None
        if relations is None
        else [(_text(each["name"]), _stretch(text, each["head"]), _stretch(text, each["tail"])) for each in relations],
        None if (source := value.get("source")) is None else Source(**source),
    )


def _record(text: str, value: Any) -> Record:
    fields = {
        _text(part["name"]): (bool(part["isList"]), [_stretch(text, each) for each in part["values"]]) for part in value["fields"]
    }
    return Record(_text(value["name"]), fields)


def _stretch(text: str, value: Any) -> Stretch:
    start, end = value["start"], value["end"]
    if not 0 <= start < end <= len(text):
        raise ValueError
    return start, end


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
