"""Puts the values of a structure into records."""

from typing import NamedTuple

from .findings import Hit


class Value(NamedTuple):
    field: str
    hit: Hit


def group_records(values: list[Value], fields: dict[str, bool]) -> list[list[Value]]:
    """
    Returns values as records: in text order, a new record begins where a scalar field that the record has already comes again.

    `fields` says which are lists. Texts list their records one after another far more often than they nest them, so this holds
    for layouts that no row showed.
    """
    records: list[list[Value]] = []
    filled: set[str] = set()
    for value in sorted(values, key=lambda value: value.hit.start):
        if not records or value.field in filled:
            records.append([])
            filled = set()
        records[-1].append(value)
        if not fields.get(value.field, False):
            filled.add(value.field)
    return records
