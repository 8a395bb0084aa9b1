"""GLiNER2 models, on tiny random ones: their answers mean nothing, their shapes do."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import encoders
import pytest
import support
from encoders import infer, load_message

TEXT = "😀 Does Ada live in Paris?"
SCHEMA = {
    "entities": [{"name": "person", "description": "who it is", "threshold": 0.0}, {"name": "city", "threshold": 0.0}],
    "classifications": [
        {"task": "mood", "labels": ["asked", "told", "sung"], "multiLabel": False},
        {
            "task": "about",
            "labels": ["homes", "food"],
            "multiLabel": True,
            "descriptions": [{"label": "homes", "description": "h"}],
        },
        {"task": "best", "labels": ["a", "b", "c"], "multiLabel": False, "topK": 2},
    ],
    "structures": [
        {
            "name": "home",
            "fields": [
                {"name": "who", "dtype": "str", "threshold": 0.0, "description": "who lives there"},
                {"name": "where", "dtype": "list", "threshold": 0.0},
                {"name": "kind", "dtype": "str", "choices": ["flat", "house"], "threshold": 0.0},
            ],
        }
    ],
    "relations": [{"name": "lives in", "threshold": 0.0}, {"name": "mood"}],
}


@pytest.fixture(scope="module", params=["span", "boundary"])
def base(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return encoders.make_gliner(tmp_path_factory.mktemp("gliner"), request.param)


@pytest.fixture
def served(driver: support.Driver, base: Path) -> Iterator[support.Driver]:
    driver.send(**support.keywords(load_message(base, None)))
    loaded = driver.until(lambda message: message["type"] in ("loaded", "error"))
    assert loaded["type"] == "loaded", loaded
    assert loaded["zeroShot"] is True and loaded["maxTokens"] == 256
    yield driver


def test_every_head_is_answered_without_training(served: support.Driver) -> None:
    answer = infer(served, [TEXT, "", TEXT], SCHEMA)
    assert answer["type"] == "inferred", answer
    first, empty, again = answer["results"]
    assert first == again and answer["warnings"] == []
    assert any(first["entities"].values())
    for label in ("person", "city"):
        for hit in first["entities"][label]:
            assert hit["label"] == label and TEXT[hit["start"] : hit["end"]] == hit["text"] and 0 <= hit["confidence"] <= 1
    spans = sorted((hit["start"], hit["end"]) for hits in first["entities"].values() for hit in hits)
    assert all(end <= start for (_, end), (start, _) in zip(spans, spans[1:], strict=False))
    classes = first["classifications"]
    assert len(classes["mood"]) == 1 and 1 / 3 <= classes["mood"][0]["confidence"] <= 1 and len(classes["best"]) == 2
    assert all(hit["confidence"] >= 0.5 for hit in classes["about"])
    for record in first["structures"]["home"]:
        for hit in [*record.get("who", []), *record.get("where", [])]:
            assert TEXT[hit["start"] : hit["end"]] == hit["text"]
        assert len(record.get("who", [])) <= 1 and all(hit["text"] in ("flat", "house") for hit in record.get("kind", []))
    for pair in first["relations"]["lives in"]:
        assert all(TEXT[pair[end]["start"] : pair[end]["end"]] == pair[end]["text"] for end in ("head", "tail"))
    assert set(first["relations"]) == {"lives in", "mood"}
    assert empty["entities"] == {"person": [], "city": []} and empty["structures"] == {"home": []}


def test_descriptions_change_an_answer(served: support.Driver) -> None:
    def chances(description: str) -> list[float]:
        query = {"task": "t", "labels": ["a", "b"], "multiLabel": False, "topK": 2}
        query["descriptions"] = [{"label": "a", "description": description}]
        (result,) = infer(served, [TEXT], {"classifications": [query]})["results"]
        return [hit["confidence"] for hit in sorted(result["classifications"]["t"], key=lambda hit: hit["label"])]

    one, other = chances("lives in Paris"), chances("Oslo, not Cork")
    assert sum(one) == pytest.approx(1) and one != other


def test_described_relations_are_found_under_their_name_by_their_own_threshold(served: support.Driver) -> None:
    def pairs(threshold: float, called: float) -> list[Any]:
        query = {"name": "lives in", "description": "who lives where", "threshold": threshold}
        return infer(served, [TEXT], {"relations": [query]}, threshold=called)["results"][0]["relations"]["lives in"]

    assert pairs(0.0, 1.0) and pairs(1.0, 0.0) == []


def test_texts_past_the_limit_are_cut_and_schemas_past_it_refused(served: support.Driver) -> None:
    (result,) = infer(served, ["Ada lives in Paris. " * 100], {"entities": [{"name": "person"}]})["results"]
    assert result["truncated"] is True
    error = infer(served, [TEXT], {"entities": [{"name": f"person {index}"} for index in range(100)]})
    assert (error["kind"], error["field"]) == ("bad_request", "schema")


def test_code_in_the_folder_is_never_run(driver: support.Driver, base: Path, tmp_path: Path) -> None:
    for path in base.rglob("*"):
        if path.is_file():
            (tmp_path / path.relative_to(base)).parent.mkdir(exist_ok=True)
            (tmp_path / path.relative_to(base)).write_bytes(path.read_bytes())
    config = tmp_path / "encoder_config" / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"auto_map": {"AutoModel": "evil.Model"}}))
    driver.send(**support.keywords(load_message(tmp_path, None)))
    assert driver.of("error")["kind"] == "unsupported"


@pytest.mark.parametrize("training_type", ["lora", "full"])
def test_training_learns_resumes_exactly_and_is_served(base: Path, tmp_path: Path, training_type: str) -> None:
    rows = support.write_rows(tmp_path / "rows.jsonl", encoders.labelled_rows(8))
    settings = {"epochs": 3, "learningRate": 5e-3 if training_type == "lora" else 5e-4, "trainingType": training_type}
    message = encoders.train_message(base, tmp_path / "out", rows, rows, **settings)
    driver = support.in_thread()
    trained = driver.train(message)
    epochs = driver.all_of("epoch")
    assert epochs[-1]["validationLoss"] < epochs[0]["validationLoss"]
    answers = [json.loads(line) for line in Path(trained["predictions"]).read_text().splitlines()]
    heads = {"entities", "entityConfidences", "labels", "labelConfidences", "structures", "relations"}
    assert len(answers) == 8 and all(answer.keys() == heads for answer in answers)
    resumed = support.in_thread()
    first = driver.of("checkpoint")["directory"]
    again = resumed.train(message | {"output": str(tmp_path / "again"), "resumeFrom": first})
    assert again["metrics"] == trained["metrics"]
    for path in Path(trained["directory"]).iterdir():
        assert (Path(again["directory"]) / path.name).read_bytes() == path.read_bytes()
    driver.send(**support.keywords(load_message(base, trained["directory"])))
    loaded = driver.until(lambda m: m["type"] in ("loaded", "error"))
    assert loaded["abilities"]["entityLabels"] == ["city", "person"] and loaded["zeroShot"] is True
    # The package's answer for one head depends on the other heads of the schema.
    schema = {
        "entities": [{"name": "city"}, {"name": "person"}],
        "classifications": [{"task": "classification", "labels": ["asked", "told"], "multiLabel": False}],
        "structures": [{"name": "home", "fields": [{"name": "where", "dtype": "str"}, {"name": "who", "dtype": "str"}]}],
        "relations": [{"name": "lives in"}],
    }
    results = infer(driver, [row["text"] for row in encoders.labelled_rows(8)], schema)["results"]
    for result, answer in zip(results, answers, strict=True):
        (best,) = result["classifications"]["classification"]
        assert [best["label"]] == answer["labels"]
        assert best["confidence"] == pytest.approx(answer["labelConfidences"][0], abs=1e-3)


def test_answers_keep_within_a_text_that_ends_without_a_full_stop(served: support.Driver) -> None:
    # The package reads one more character then: a full stop that it adds.
    texts = ["Ada lives in Paris", "Ada", "\u200b"]
    schema = {name: SCHEMA[name] for name in ("entities", "structures", "relations")}
    for text, result in zip(texts, infer(served, texts, schema | {"flatNer": False}, threshold=0.0)["results"], strict=True):
        pairs = [hit for pair in result["relations"]["lives in"] for hit in pair.values()]
        values = [hit for record in result["structures"]["home"] for hits in record.values() for hit in hits if "start" in hit]
        for hit in [*(hit for hits in result["entities"].values() for hit in hits), *values, *pairs]:
            assert hit["start"] < hit["end"] <= len(text) and text[hit["start"] : hit["end"]] == hit["text"]
