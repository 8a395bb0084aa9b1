"""Training rows that explain the answers of encoders."""

from pathlib import Path
from typing import Any

import encoders
import pytest
import support
import torch
from encoders import infer, labelled_rows, load_message, only, train_message

from anneal_runner.encoders import kept_rows
from anneal_runner.encoders.kept_rows import FILE, KeptRows, rows_to_keep, write_kept_rows
from anneal_runner.encoders.rows import LabelledRow, Source

CLASSES = {"classifications": [{"task": "classification", "labels": ["asked", "told"], "multiLabel": False}]}
ENTITIES = {"entities": [{"name": "person"}, {"name": "city"}]}
DATASETS = {"datasets": [0, 1]}


def located(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns rows of two datasets that take turns."""
    return [row | {"source": source(index)} for index, row in enumerate(rows)]


def source(index: int) -> dict[str, int]:
    return {"dataset": index % 2, "row": index // 2, "start": 100 * index, "bytes": 90}


@pytest.fixture(scope="module", params=["plain lora", "plain full", "gliner lora", "gliner full"])
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A base, and a model on it that was trained for one epoch."""
    kind, training_type = request.param.split()
    folder = tmp_path_factory.mktemp("explained")
    (folder / "base").mkdir()
    plain = kind == "plain"
    base = encoders.make_encoder(folder / "base") if plain else encoders.make_gliner(folder / "base", "span")
    rows = support.write_rows(folder / "rows.jsonl", located(labelled_rows(8)))
    driver = support.in_thread()
    settings = {"epochs": 1, "learningRate": 1e-4, "trainingType": training_type}
    end = driver.train(train_message(base, folder / "out", rows, rows, **settings))
    driver.close()
    return base, Path(end["directory"])


def serve(driver: support.Driver, base: Path, directory: Path) -> support.Driver:
    driver.send(**support.keywords(load_message(base, directory)))
    driver.of("loaded")
    return driver


def test_a_training_row_is_the_nearest_to_itself(driver: support.Driver, trained: tuple[Path, Path]) -> None:
    serve(driver, *trained)
    texts = [row["text"] for row in labelled_rows(8)]
    answer = infer(driver, texts, CLASSES | ENTITIES, explain=DATASETS)
    assert answer["warnings"] == []
    for index, result in enumerate(answer["results"]):
        first, *others = result["nearest"]
        assert {name: first[name] for name in source(0)} == source(index) and len(others) == 2
        similarities = [each["similarity"] for each in result["nearest"]]
        assert similarities == sorted(similarities, reverse=True) and 0.99 < similarities[0] <= 1
    assert all("nearest" not in result for result in infer(driver, texts, CLASSES)["results"])


def test_rows_of_deleted_datasets_are_not_named(driver: support.Driver, trained: tuple[Path, Path]) -> None:
    serve(driver, *trained)
    text = labelled_rows(1)[0]["text"]
    (result,) = infer(driver, [text], CLASSES, explain={"datasets": [1]})["results"]
    assert [each["dataset"] for each in result["nearest"]] == [1, 1, 1]
    (result,) = infer(driver, [text], CLASSES, explain={"datasets": []})["results"]
    assert result["nearest"] == []


def test_a_model_without_rows_answers_and_says_so(driver: support.Driver, trained: tuple[Path, Path]) -> None:
    base, directory = trained
    kept = (directory / FILE).read_bytes()
    for content in (None, b"damaged"):
        (directory / FILE).unlink() if content is None else (directory / FILE).write_bytes(content)
        try:
            serve(driver, base, directory)
            answer = infer(driver, ["Ada"], CLASSES, explain=DATASETS)
        finally:
            (directory / FILE).write_bytes(kept)
        assert [warning["code"] for warning in answer["warnings"]] == ["explanation_unavailable"]
        assert "keeps no vectors" in answer["warnings"][0]["message"] and "nearest" not in answer["results"][0]
        driver.send("unload", model="m")
        driver.of("unloaded")


def test_what_was_not_learned_is_not_explained(driver: support.Driver, tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    base = encoders.make_encoder(tmp_path / "base")
    rows = support.write_rows(tmp_path / "rows.jsonl", located(only(labelled_rows(8), "entities")))
    end = driver.train(train_message(base, tmp_path / "out", rows, rows, epochs=1))
    driver = serve(support.in_thread(), base, Path(end["directory"]))
    answer = infer(driver, ["Ada"], {"entities": [{"name": "planet"}]}, explain=DATASETS)
    assert "this one has none" in answer["warnings"][-1]["message"]
    for bad in ({"datasets": ["0"]}, {"datasets": [0], "more": 1}, {}):
        assert infer(driver, ["Ada"], ENTITIES, explain=bad)["kind"] == "bad_request"


def row(text: str, at: int, **labels: Any) -> LabelledRow:
    heads = {"entities": None, "labels": None, "structures": None, "relations": None} | labels
    return LabelledRow(text, **heads, source=Source(0, at, at, labels.pop("bytes", 10)))


def test_rows_are_kept_once_labelled_and_evenly_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row("a", 0, labels=["x"]), row("a", 1, labels=["x"]), row("b", 2), row("a", 3, labels=["y"])]
    assert [kept.source.row for kept in rows_to_keep(rows) if kept.source] == [0, 3]
    monkeypatch.setattr(kept_rows, "MAX_ROWS", 4)
    many = [row(str(at), at, labels=["x"]) for at in range(10)]
    assert [kept.source.row for kept in rows_to_keep(many) if kept.source] == [0, 2, 5, 7]
    long = LabelledRow("a", None, ["x"], None, None, Source(0, 0, 0, 64 * 1024 + 1))
    assert rows_to_keep([long]) == [] and rows_to_keep([LabelledRow("a", None, ["x"], None, None)]) == []


def test_a_row_must_be_labelled_for_a_head_that_answers(tmp_path: Path) -> None:
    rows = [row("a", 0, labels=["x"]), row("b", 1, entities=[]), row("c", 2, relations=[])]
    write_kept_rows(tmp_path, rows, torch.tensor([[1.0, 0.0], [1.0, 0.1], [-1.0, 0.0]]))
    kept = kept_rows.read_kept_rows(tmp_path)
    assert isinstance(kept, KeptRows) and not kept.has({"structures"})
    wanted = torch.tensor([2.0, 0.0])
    assert [each["row"] for each in kept.nearest(wanted, {0}, {"entities", "classifications"})] == [0, 1]
    assert [each["row"] for each in kept.nearest(wanted, {0}, {"entities"})] == [1]
    assert kept.nearest(wanted, {0}, {"relations"}) == []  # turned away from the text
