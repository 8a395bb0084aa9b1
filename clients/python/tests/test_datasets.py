from __future__ import annotations

import os
from collections.abc import Callable

import pandas
import pytest
from conftest import TICKETS, rows_of

from anneal import Anneal, DatasetFailedError
from anneal._rows import Rows

Unique = Callable[[str], str]


@pytest.mark.parametrize(
    "rows",
    [TICKETS, os.fspath(TICKETS), pandas.read_json(TICKETS, lines=True), iter(rows_of(TICKETS.name))],
    ids=["path", "text", "DataFrame", "dicts"],
)
def test_upload_gives_the_same_rows_from_a_file_a_frame_and_dicts(client: Anneal, unique: Unique, rows: Rows) -> None:
    version = client.datasets.upload(rows, unique("rows"))
    assert (version.status, version.sample_size) == ("ready", 700)
    assert sorted(version.heads) == ["classification", "entities"]
    report = client.datasets.report(version.name)
    assert {label.label: label.count for label in report.heads[0].labels.labels}["order_number"] == 190


def test_upload_prints_the_report(client: Anneal, unique: Unique, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"text": text, "label": label} for text, label in [("Refund me", "refund"), ("refund me!", "delivery")]]
    name = unique("twice")
    client.datasets.upload(rows, name, dataset_type="classification")
    printed = capsys.readouterr().err
    assert f"{name}, version 1: 2 rows" in printed
    assert "classification in 2 rows: delivery 1, refund 1" in printed
    assert "look at: 1 row with almost the text of an earlier row" in printed
    assert "look at: 2 labels with fewer than" in printed


def test_upload_prints_nothing_without_progress(unique: Unique, capsys: pytest.CaptureFixture[str]) -> None:
    with Anneal(progress=False) as client:
        client.datasets.upload([{"text": "Refund me", "label": "refund"}], unique("silent"))
    assert capsys.readouterr() == ("", "")


def test_upload_of_wrong_rows_raises_and_names_them(client: Anneal, unique: Unique) -> None:
    rows = [{"text": "To Lyon", "entities": [["Lyon", "city"]]}, {"text": "To Rome", "entities": [["Roma", "city"]]}]
    with pytest.raises(DatasetFailedError, match=r'row 2: `entities\[0\]` "Roma" does not occur in text') as raised:
        client.datasets.upload(rows, unique("wrong"))
    assert raised.value.version.row_errors is not None
    assert [error.row for error in raised.value.version.row_errors.rows] == [2]


def test_missing_values_of_a_frame_say_nothing_about_a_row(client: Anneal, unique: Unique) -> None:
    frame = pandas.DataFrame({"text": ["Lyon", "Refund me"], "entities": [[["Lyon", "city"]], None], "label": [None, "refund"]})
    name = client.datasets.upload(frame, unique("missing")).name
    heads = {head.head: head.rows for head in client.datasets.report(name).heads}
    assert heads == {"entities": 1, "classification": 1}


def test_columns_of_other_names_are_mapped(client: Anneal, unique: Unique) -> None:
    frame = pandas.DataFrame({"sentence": ["Refund me"], "intent": [1]})
    mapping = {"text": "sentence", "label": "intent"}
    version = client.datasets.upload(
        frame, unique("mapped"), column_mapping=mapping, label_names={"intent": ["delivery", "refund"]}
    )
    assert version.labels == ["refund"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["a text"], r"row 1 is str"),
        ([{"text": "a"}, {"text": "b", "score": float("nan")}], "row 2 is no JSON"),
        ([{"text": "a", "entities": {1, 2}}], "row 1 is no JSON"),
    ],
)
def test_rows_that_are_none_are_named_before_they_are_sent(client: Anneal, rows: Rows, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        client.datasets.upload(rows, "never sent")


def test_a_file_that_is_not_there_is_no_dataset(client: Anneal) -> None:
    with pytest.raises(FileNotFoundError):
        client.datasets.upload("no such file.jsonl", "never sent")


def test_list_has_the_newest_versions(client: Anneal, unique: Unique) -> None:
    name = unique("listed")
    for _ in range(2):
        client.datasets.upload([{"text": "Refund me", "label": "refund"}], name)
    assert [(each.version_number, each.version_count) for each in client.datasets.list() if each.name == name] == [("2", 2)]
