"""The schema of an `infer` message: `InferSchema` of the runner, read strictly."""

import json
from dataclasses import dataclass
from typing import Any

from ..errors import RunnerError
from ..fields import Fields
from .texts import HALVES

MAX_TEXTS = 10_000


@dataclass(frozen=True)
class EntityQuery:
    name: str
    description: str | None
    threshold: float


@dataclass(frozen=True)
class ClassificationQuery:
    task: str
    labels: list[str]
    descriptions: dict[str, str]
    multi_label: bool
    top_k: int | None
    threshold: float


@dataclass(frozen=True)
class FieldQuery:
    name: str
    is_list: bool
    choices: list[str] | None
    description: str | None
    threshold: float


@dataclass(frozen=True)
class StructureQuery:
    name: str
    fields: list[FieldQuery]


@dataclass(frozen=True)
class RelationQuery:
    name: str
    head: str | None
    tail: str | None
    description: str | None
    threshold: float


@dataclass(frozen=True)
class Schema:
    """A schema with every threshold resolved; None for a head outside it."""

    entities: list[EntityQuery] | None
    classifications: list[ClassificationQuery] | None
    structures: list[StructureQuery] | None
    relations: list[RelationQuery] | None
    flat: bool
    """True where entities may not overlap."""
    threshold: float
    """Threshold of everything that has none of its own."""


def read_schema(message: dict[str, Any], threshold: float) -> Schema:
    """Returns a schema. Raises RunnerError (bad_request) that names the first bad field."""
    if HALVES.search(json.dumps(message, ensure_ascii=False)):
        raise RunnerError("bad_request", "`schema` has half of a surrogate pair; send valid Unicode", "schema")
    fields = Fields(message, "`schema`")
    schema = Schema(
        entities=_each(fields, "entities", lambda item: _entity(item, threshold)),
        classifications=_each(fields, "classifications", lambda item: _classification(item, threshold)),
        structures=_each(fields, "structures", lambda item: _structure(item, threshold)),
        relations=_each(fields, "relations", lambda item: _relation(item, threshold)),
        flat=fields.take("flatNer", bool, default=True),
        threshold=threshold,
    )
    fields.done()
    return schema


def _each(fields: Fields, name: str, read: Any) -> Any:
    items = fields.take(name, list, default=None)
    if items is None:
        return None
    read_items = []
    for item in items:
        if not isinstance(item, dict):
            raise RunnerError("bad_request", f"`{name}` of `schema` must hold objects", name)
        own = Fields(item, f"`{name}`")
        read_items.append(read(own))
        own.done()
    return read_items


def _threshold(fields: Fields, default: float) -> float:
    return fields.number("threshold", 0, 1, default=default)


def _texts(fields: Fields, name: str, default: Any) -> Any:
    values = fields.take(name, list, default=default)
    if values is not None and not all(isinstance(value, str) for value in values):
        raise RunnerError("bad_request", f"`{name}` must hold texts", name)
    return values


def _entity(fields: Fields, threshold: float) -> EntityQuery:
    return EntityQuery(fields.take("name", str), fields.take("description", str, default=None), _threshold(fields, threshold))


def _classification(fields: Fields, threshold: float) -> ClassificationQuery:
    described: dict[str, str] = {}
    for item in fields.take("descriptions", list, default=[]):
        own = Fields(item if isinstance(item, dict) else {}, "`descriptions`")
        described[own.take("label", str)] = own.take("description", str)
        own.done()
    labels = _texts(fields, "labels", [])
    return ClassificationQuery(
        task=fields.take("task", str),
        labels=list(dict.fromkeys(labels)),
        descriptions=described,
        multi_label=fields.take("multiLabel", bool),
        top_k=fields.integer("topK", 1, 1_000_000, default=None),
        threshold=_threshold(fields, threshold),
    )


def _structure(fields: Fields, threshold: float) -> StructureQuery:
    return StructureQuery(fields.take("name", str), _each(fields, "fields", lambda item: _field(item, threshold)) or [])


def _field(fields: Fields, threshold: float) -> FieldQuery:
    return FieldQuery(
        name=fields.take("name", str),
        is_list=fields.choice("dtype", ("str", "list")) == "list",
        choices=_texts(fields, "choices", None),
        description=fields.take("description", str, default=None),
        threshold=_threshold(fields, threshold),
    )


def _relation(fields: Fields, threshold: float) -> RelationQuery:
    return RelationQuery(
        name=fields.take("name", str),
        head=fields.take("head", str, default=None),
        tail=fields.take("tail", str, default=None),
        description=fields.take("description", str, default=None),
        threshold=_threshold(fields, threshold),
    )
