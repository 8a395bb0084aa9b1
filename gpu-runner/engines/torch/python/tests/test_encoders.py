"""Encoders with heads of their own: training, and answers."""

import itertools
import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import encoders
import pytest
import support
import torch
from encoders import infer, labelled_rows, load_message, only, train_message
from peft import PeftModel
from safetensors.torch import load_file
from transformers import AutoModel, AutoTokenizer

from anneal_runner.encoders import server as encoder_server
from anneal_runner.encoders import training as encoder_training
from anneal_runner.encoders.chains import Chains, SpanFinder
from anneal_runner.encoders.texts import encode_text

ENTITIES = {"entities": [{"name": "person"}, {"name": "city"}]}
CLASSES = {"classifications": [{"task": "mood", "labels": ["asked", "told"], "multiLabel": False}]}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return encoders.make_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return support.write_rows(tmp_path / "train.jsonl", labelled_rows())


@pytest.fixture
def held_out(tmp_path: Path) -> Path:
    return support.write_rows(tmp_path / "validation.jsonl", labelled_rows(40)[32:])


class Trained:
    """A model that knows the rows by heart, and what its training told."""

    def __init__(self, base: Path, folder: Path, training_type: str) -> None:
        driver = support.in_thread()
        train = support.write_rows(folder / "train.jsonl", labelled_rows())
        settings = {"epochs": 20, "learningRate": 1e-2, "loraR": 8, "trainingType": training_type}
        settings |= {"learningRate": 2e-3} if training_type == "full" else {}
        end = driver.train(train_message(base, folder, train, train, **settings))
        self.directory = Path(end["directory"])
        self.end = end
        self.epochs = driver.all_of("epoch")
        driver.close()


@pytest.fixture(scope="module")
def lora(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return Trained(base, tmp_path_factory.mktemp("lora"), "lora")


@pytest.fixture(scope="module")
def full(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return Trained(base, tmp_path_factory.mktemp("full"), "full")


@pytest.fixture
def served(driver: support.Driver, base: Path, lora: Trained) -> Iterator[support.Driver]:
    driver.send(**support.keywords(load_message(base, lora.directory)))
    driver.of("loaded")
    yield driver


def predictions(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


@pytest.mark.parametrize("training_type", ["lora", "full"])
def test_it_learns_every_head_of_32_rows_by_heart(request: pytest.FixtureRequest, training_type: str) -> None:
    trained: Trained = request.getfixturevalue(training_type)
    assert trained.epochs[-1]["trainingLoss"] < 1 < 5 < trained.epochs[0]["trainingLoss"]
    for row, answer in zip(labelled_rows(), predictions(trained.end["predictions"]), strict=True):
        assert sorted(answer["entities"], key=lambda e: e["start"]) == sorted(row["entities"], key=lambda e: e["start"])
        assert answer["labels"] == row["labels"] and answer["relations"] == row["relations"]
        assert [sorted(r["fields"], key=lambda f: f["name"]) for r in answer["structures"]] == [
            sorted(r["fields"], key=lambda f: f["name"]) for r in row["structures"]
        ]
        assert all(0.5 <= each <= 1 for each in answer["entityConfidences"] + answer["labelConfidences"])


def test_a_model_says_what_it_learned(driver: support.Driver, base: Path, lora: Trained) -> None:
    driver.send(**support.keywords(load_message(base, lora.directory)))
    loaded = driver.of("loaded")
    assert loaded["abilities"] == {
        "entityLabels": ["city", "person"],
        "classLabels": ["asked", "told"],
        "multiLabel": False,
        "structures": [{"name": "home", "fields": [{"name": "where", "dtype": "str"}, {"name": "who", "dtype": "str"}]}],
        "relations": ["lives in"],
    }
    assert loaded["maxTokens"] == 128 and 0 < loaded["byteSize"] < loaded["baseByteSize"]


def test_answers_have_offsets_in_code_points(served: support.Driver) -> None:
    text = "😀 Does Ada live in Paris?"
    answer = infer(served, [text], ENTITIES | CLASSES)
    result = answer["results"][0]
    assert answer["warnings"] == [] and answer["inputTokens"][0] > 5 and result["truncated"] is False
    for label, expected in (("person", "Ada"), ("city", "Paris")):
        (hit,) = result["entities"][label]
        assert (hit["text"], text[hit["start"] : hit["end"]], hit["label"]) == (expected, expected, label)
        assert 0.5 < hit["confidence"] <= 1
    (best,) = result["classifications"]["mood"]
    assert best["label"] == "asked" and 0.5 < best["confidence"] <= 1


def test_structures_and_relations_are_answered_with_choices_and_types(served: support.Driver) -> None:
    fields = [{"name": "who", "dtype": "str"}, {"name": "where", "dtype": "str", "choices": ["PARIS", "Oslo"]}]
    relations = [{"name": "lives in", "head": "person", "tail": "city"}, {"name": "Lives-In", "head": "city"}]
    schema = {"structures": [{"name": "home", "fields": fields}], "relations": relations}
    (result,) = infer(served, ["😀 Does Ada live in Paris?"], schema)["results"]
    ((who,), (where,)) = (result["structures"]["home"][0][name] for name in ("who", "where"))
    assert (who["text"], who["start"]) == ("Ada", 7) and where["text"] == "PARIS" and "start" not in where
    (found,) = result["relations"]["lives in"]
    assert (found["head"]["text"], found["tail"]["text"]) == ("Ada", "Paris") and 0.5 <= found["head"]["confidence"] <= 1
    assert result["relations"]["Lives-In"] == []


def test_a_full_model_is_loaded_by_transformers_as_it_is_with_its_tokenizer(base: Path, full: Trained) -> None:
    model, tokenizer = AutoModel.from_pretrained(full.directory), AutoTokenizer.from_pretrained(full.directory)
    own = load_file(full.directory / "model.safetensors")
    loaded = model.state_dict()
    assert all(torch.equal(loaded[name], own[name]) for name in own)
    text = "Ben lives in Oslo."
    assert tokenizer(text)["input_ids"] == AutoTokenizer.from_pretrained(base)(text)["input_ids"]


def test_a_full_model_is_served_beside_an_adapter_of_the_same_base(served: support.Driver, base: Path, full: Trained) -> None:
    served.send(**support.keywords(load_message(base, full.directory, "full")))
    served.until(lambda message: message["type"] == "loaded" and message["model"] == "full")
    texts = [row["text"] for row in labelled_rows(4)]
    answers = [infer(served, texts, CLASSES, model=model)["results"] for model in ("m", "full")]
    labels = [[each["classifications"]["mood"][0]["label"] for each in results] for results in answers]
    assert labels == [["asked", "told"] * 2] * 2
    for model in ("full", "m"):
        served.send("unload", model=model)
        served.until(lambda message, model=model: message["type"] == "unloaded" and message["model"] == model)
    assert infer(served, texts, CLASSES)["kind"] == "bad_request"


def test_names_that_were_not_learned_are_warned_of_and_empty(served: support.Driver) -> None:
    schema = {
        "entities": [{"name": "Person", "description": "who"}, {"name": "planet"}],
        "structures": [{"name": "home", "fields": [{"name": "colour", "dtype": "str"}]}, {"name": "trip", "fields": []}],
        "relations": [{"name": "owns"}, {"name": "lives in", "tail": "planet"}],
    }
    answer = infer(served, ["😀 Does Ada live in Paris?"], schema)
    assert [(warning["code"], warning.get("label")) for warning in answer["warnings"]] == [
        ("unresolved_label", "planet"),
        ("unresolved_label", "home.colour"),
        ("unresolved_label", "trip"),
        ("unresolved_label", "owns"),
        ("unchecked_type", "planet"),
        ("unused_description", None),
    ]
    (result,) = answer["results"]
    assert result["entities"]["planet"] == [] and result["entities"]["Person"][0]["text"] == "Ada"
    assert result["relations"]["owns"] == [] and result["structures"] == {"home": []}


@pytest.mark.parametrize(
    ("schema", "fields", "kind", "field"),
    [
        (
            {"classifications": [{"task": "t", "labels": ["asked", "sung"], "multiLabel": False}]},
            {},
            "unsupported",
            "classifications",
        ),
        ({"entities": [{"name": "city", "colour": "red"}]}, {}, "bad_request", None),
        ({"poems": []}, {}, "bad_request", None),
        (ENTITIES, {"threshold": 2}, "bad_request", "threshold"),
        (ENTITIES, {"texts": [1]}, "bad_request", "texts"),
        (ENTITIES, {"model": "other"}, "bad_request", "model"),
        (ENTITIES, {"more": 1}, "bad_request", None),
        (ENTITIES, {"explain": {}}, "bad_request", "datasets"),
    ],
)
def test_a_call_that_cannot_be_answered_is_refused_by_name(
    served: support.Driver, schema: dict, fields: dict, kind: str, field: str | None
) -> None:
    error = infer(served, fields.pop("texts", ["Ada"]), schema, **fields)
    assert (error["type"], error["kind"], error.get("field")) == ("error", kind, field)


def test_a_plain_base_has_no_head(driver: support.Driver, base: Path) -> None:
    driver.send(**support.keywords(load_message(base, None)))
    loaded = driver.of("loaded")
    assert loaded["abilities"] == {"entityLabels": None, "classLabels": None, "multiLabel": False} and loaded["byteSize"] == 0
    error = infer(driver, ["Ada"], ENTITIES)
    assert (error["kind"], error["field"]) == ("unsupported", "entities")


def test_no_texts_empty_texts_and_texts_past_the_limit_are_answered(served: support.Driver) -> None:
    assert infer(served, [], ENTITIES)["results"] == []
    texts = ["", " \n", "\ud83d", "Ada lives in Paris. " * 60, "Ada lives in Paris, not in Oslo."]
    answer = infer(served, texts, ENTITIES | CLASSES)
    assert [result["truncated"] for result in answer["results"]] == [False, False, False, True, False]
    assert answer["results"][0]["entities"] == {"person": [], "city": []} and answer["inputTokens"][3] == 128


def test_what_shares_a_batch_does_not_change_an_answer(served: support.Driver) -> None:
    texts = [row["text"] for row in labelled_rows(40)]
    together = infer(served, texts, ENTITIES | CLASSES)["results"]
    for text, expected in zip(texts[::8], together[::8], strict=True):
        (alone,) = infer(served, [text], ENTITIES | CLASSES)["results"]
        assert alone["classifications"]["mood"][0]["confidence"] == pytest.approx(
            expected["classifications"]["mood"][0]["confidence"], abs=1e-4
        )
        for label in ("person", "city"):
            assert [hit["start"] for hit in alone["entities"][label]] == [hit["start"] for hit in expected["entities"][label]]


def test_answers_that_no_message_holds_are_refused_and_other_calls_go_on(served: support.Driver) -> None:
    texts = [row["text"] for row in labelled_rows(40)]
    for names in (
        [f"{index:030} is the name of a label" for index in range(9_000)],
        ["city" + "-" * index for index in range(1_000)],
    ):
        error = infer(served, texts, {"entities": [{"name": name} for name in names]}, threshold=0.0)
        assert (error["type"], error["kind"], error["field"]) == ("error", "bad_request", "schema")
    assert infer(served, texts, ENTITIES)["type"] == "inferred"


def test_a_schema_with_half_a_character_is_refused(served: support.Driver) -> None:
    error = infer(served, ["Ada"], {"entities": [{"name": "half \ud83d"}]})
    assert (error["kind"], error["field"]) == ("bad_request", "schema")


def test_a_text_that_cannot_be_read_fails_its_own_call_alone(served: support.Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    real = encoder_server.read_texts
    both = threading.Event()

    def read(model: Any, texts: list[Any], autocast: Any) -> Any:
        both.wait()
        if any(text.text == "unreadable" for text in texts):
            raise ValueError("unreadable")
        return real(model, texts, autocast)

    monkeypatch.setattr(encoder_server, "read_texts", read)
    for call, text in (("first", "Ada"), ("bad", "unreadable"), ("good", "Ada lives in Paris.")):
        served.send("infer", id=call, model="m", texts=[text], schema=ENTITIES, threshold=0.5)
    both.set()
    types = [served.until(lambda message, call=call: message.get("id") == call)["type"] for call in ("first", "bad", "good")]
    assert types == ["inferred", "error", "inferred"]


def test_a_cancelled_call_ends(served: support.Driver) -> None:
    texts = ["Ada lives in Paris. " * 20] * 2000
    served.send("infer", id="long", model="m", texts=texts, schema=ENTITIES, threshold=0.5)
    served.send("cancel", id="long")
    assert served.until(lambda message: message.get("id") == "long")["kind"] == "cancelled"
    assert infer(served, ["Ada"], ENTITIES)["type"] == "inferred"


def test_an_adapter_loads_in_plain_transformers_and_peft(base: Path, lora: Trained) -> None:
    model = PeftModel.from_pretrained(AutoModel.from_pretrained(base), str(lora.directory))
    assert any("lora_B" in name and bool(value.abs().sum() > 0) for name, value in model.state_dict().items())


def test_the_same_seed_gives_the_same_files_and_another_seed_others(base: Path, rows: Path, held_out: Path, tmp_path: Path) -> None:
    files = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        driver = support.in_thread()
        driver.train(train_message(base, tmp_path / name, rows, held_out, epochs=1, seed=seed))
        driver.close()
        final = tmp_path / name / "final"
        files.append([path.read_bytes() for path in sorted(final.iterdir())])
    assert files[0] == files[1] != files[2]


@pytest.mark.parametrize("training_type", ["lora", "full"])
def test_training_resumes_after_sigkill_to_the_same_curve_and_the_same_files(
    base: Path, rows: Path, held_out: Path, tmp_path: Path, training_type: str
) -> None:
    whole = support.in_thread()
    message = train_message(
        base, tmp_path / "whole", rows, held_out, epochs=3, saveSteps=3, trainingType=training_type, learningRate=1e-3
    )
    expected = whole.train(message)
    curve = [(m["trainingLoss"], m["validationLoss"]) for m in whole.all_of("epoch")]
    if training_type == "lora":
        killed = support.Process(acknowledges=False)
        killed.driver.send(**support.keywords(message | {"output": str(tmp_path / "killed")}))
        first = killed.driver.of("checkpoint")
        killed.process.send_signal(signal.SIGKILL)
        killed.process.wait()
        assert first["step"] == 3 and first.get("predictions") is None
        starts = [(first["directory"], 3)]
    else:
        starts = [(m["directory"], 2) for m in whole.all_of("checkpoint") if m["step"] == 4]
    for directory, epochs_left in starts:
        resumed = support.in_thread()
        output = tmp_path / "resumed"
        actual = resumed.train(message | {"output": str(output), "resumeFrom": directory})
        assert [(m["trainingLoss"], m["validationLoss"]) for m in resumed.all_of("epoch")] == curve[-epochs_left:]
        assert actual["metrics"] == expected["metrics"]
        assert predictions(actual["predictions"]) == predictions(expected["predictions"])
        for path in (tmp_path / "whole" / "final").iterdir():
            assert (output / "final" / path.name).read_bytes() == path.read_bytes()


def test_predictions_come_with_each_epoch_and_are_of_the_best_weights_at_the_end(
    driver: support.Driver, base: Path, rows: Path, held_out: Path, tmp_path: Path
) -> None:
    trained = driver.train(train_message(base, tmp_path / "out", rows, held_out, epochs=3, learningRate=0.05, scheduler="constant"))
    best = [m for m in driver.all_of("checkpoint") if m["isBest"]][-1]
    assert predictions(trained["predictions"]) == predictions(best["predictions"])
    assert [len(predictions(m["predictions"])) for m in driver.all_of("epoch")] == [8, 8, 8]
    assert trained["metrics"]["validationRows"] == 8


def test_training_goes_on_from_a_model_and_learns_new_labels(
    driver: support.Driver, base: Path, lora: Trained, tmp_path: Path
) -> None:
    rows = only(labelled_rows(8), "entities")
    for row in rows:
        row["entities"].append({**encoders.span(row["text"], "live"), "label": "act"})
    train = support.write_rows(tmp_path / "more.jsonl", rows)
    message = train_message(base, tmp_path / "out", train, train, epochs=1, learningRate=1e-6, loraR=8)
    end = driver.train(message | {"startFrom": str(lora.directory)})
    driver.send(**support.keywords(load_message(base, end["directory"])))
    abilities = driver.of("loaded")["abilities"]
    assert abilities["entityLabels"] == ["city", "person", "act"] and abilities["relations"] == ["lives in"]
    (result,) = infer(driver, ["😀 Does Ben live in Lyon?"], ENTITIES | CLASSES)["results"]
    assert result["entities"]["city"][0]["text"] == "Lyon" and result["classifications"]["mood"][0]["label"] == "asked"


def test_several_classes_of_a_text_are_learned(driver: support.Driver, base: Path, tmp_path: Path) -> None:
    rows = [
        {"text": f"{a} and {b}", "labels": [x for x in (a, b) if x != "none"]} for a in ("red", "none") for b in ("big", "none")
    ]
    train = support.write_rows(tmp_path / "rows.jsonl", rows)
    message = train_message(base, tmp_path / "out", train, train, epochs=60, learningRate=1e-2, multiLabel=True)
    end = driver.train(message)
    assert [sorted(answer["labels"]) for answer in predictions(end["predictions"])] == [sorted(row["labels"]) for row in rows]


def test_memory_that_runs_out_halves_the_batch_and_the_result_stays(
    base: Path, rows: Path, held_out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The heads' dropout would differ: it is drawn for each part.
    monkeypatch.setattr("anneal_runner.encoders.heads.DROPOUT", 0.0)
    whole = support.in_thread()
    expected = whole.train(train_message(base, tmp_path / "whole", rows, held_out, epochs=1))
    real = encoder_training.row_losses

    def starved(model: Any, items: list[Any]) -> torch.Tensor:
        if len(items) > 3:
            raise torch.OutOfMemoryError("no memory")
        return real(model, items)

    monkeypatch.setattr(encoder_training, "row_losses", starved)
    halved = support.in_thread()
    actual = halved.train(train_message(base, tmp_path / "halved", rows, held_out, epochs=1))
    assert "going on with 2 and accumulation" in halved.all_of("log")[-1]["message"]
    for name in ("finalTrainingLoss", "finalValidationLoss"):
        assert actual["metrics"][name] == pytest.approx(expected["metrics"][name], rel=1e-3)


def test_a_cancelled_training_ends(driver: support.Driver, base: Path, rows: Path, held_out: Path, tmp_path: Path) -> None:
    driver.send(**support.keywords(train_message(base, tmp_path / "out", rows, held_out, epochs=10_000)))
    driver.of("progress")
    driver.send("cancel", id=None)
    assert driver.of("error")["kind"] == "cancelled"


@pytest.mark.parametrize(
    ("changes", "kind", "says"),
    [
        ({"settings": {"samples": 2}}, "bad_request", "`samples`"),
        ({"settings": {"trainingType": "both"}}, "bad_request", "`trainingType`"),
        ({"settings": {"multiLabel": None}}, "bad_request", "`multiLabel`"),
        ({"colour": "red"}, "bad_request", "`colour`"),
        ({"train": []}, "training", "no training row"),
        ({"train": [{"text": "a"}]}, "training", "nothing to learn"),
        ({"train": [{"text": "a", "labels": ["x y"]}]}, "training", 'All 1 training rows have the class "x y"'),
        (
            {"train": [{"text": "a", "labels": ["x"]}], "settings": {"multiLabel": True}},
            "training",
            'Every training row has the one class "x"',
        ),
        (
            {"train": [{"text": "a", "labels": ["x"]}, {"text": "b", "entities": [{"start": 0, "end": 2, "label": "x"}]}]},
            "training",
            "Row 2",
        ),
        ({"base": "decoder"}, "unsupported", "no text encoder"),
    ],
)
def test_what_cannot_be_trained_is_refused_by_name(
    driver: support.Driver, base: Path, tiny: Path, rows: Path, tmp_path: Path, changes: dict, kind: str, says: str
) -> None:
    message = train_message(base, tmp_path / "out", rows, rows, **changes.get("settings", {}))
    if "train" in changes:
        message["train"] = str(support.write_rows(tmp_path / "other.jsonl", changes["train"]))
    if changes.get("base") == "decoder":
        message["base"] = support.base_message(tiny)
    message |= {name: value for name, value in changes.items() if name == "colour"}
    driver.send(**support.keywords(message))
    error = driver.of("error")
    assert error["kind"] == kind and says in error["message"]


def test_span_confidences_are_the_probabilities_of_all_chains() -> None:
    torch.manual_seed(1)
    chains = Chains(1).double()
    torch.nn.init.normal_(chains.transitions)
    emissions = torch.randn(1, 4, 1, 3, dtype=torch.double)
    mask = torch.ones(1, 4, dtype=torch.bool)
    every = torch.cartesian_prod(*[torch.arange(3)] * 4).unsqueeze(-1)
    losses = torch.stack([chains.loss(emissions, states.unsqueeze(0), mask) for states in every]).flatten()
    probabilities = (-losses).exp().detach()
    assert probabilities.sum().item() == pytest.approx(1)
    expected: dict[tuple[int, int], float] = {}
    for states, probability in zip(every.squeeze(-1).tolist(), probabilities.tolist(), strict=True):
        for first, state in enumerate(states):
            if state == 1:
                last = next((at for at in range(first, 3) if states[at + 1] != 2), 3)
                expected[first, last] = expected.get((first, last), 0) + probability
    with torch.no_grad():
        passes = chains.forward_pass(emissions, mask)[0], chains.backward_pass(emissions, mask)[0]
        finder = SpanFinder(emissions[0], *passes, chains.scores())
    found = {(span.first, span.last): span.confidence for span in finder.likely(0, 0.0)}
    assert found == pytest.approx(expected)
    likely = {place for place, confidence in expected.items() if confidence >= 0.1}
    assert {(span.first, span.last) for span in finder.likely(0, 0.1)} == likely
    spans = finder.find(0, 0.0)
    assert len(spans) > 1 and all(before.last < after.first for before, after in itertools.pairwise(spans))


def test_words_are_split_so_that_spans_can_begin_and_end_there() -> None:
    tokenizer = encoders.make_encoder_tokenizer()
    text = "10kg 東京 état-major naïve हिन्दी"
    words = [text[start:end] for start, end in encode_text(tokenizer, text, 128).words]
    assert words == ["10", "kg", "東", "京", "état", "-", "major", "naïve", "हिन्दी"]


def test_rows_in_a_language_that_the_tokenizer_does_not_know_are_warned_of(
    driver: support.Driver, base: Path, rows: Path, tmp_path: Path
) -> None:
    chinese = [
        {"text": f"请把第{index}个包裹寄到上海。", "labels": ["asked", "told"][index % 2 : index % 2 + 1]} for index in range(4)
    ]
    train = support.write_rows(tmp_path / "chinese.jsonl", chinese)
    driver.train(train_message(base, tmp_path / "out", train, train, epochs=1))
    (warning,) = [m["message"] for m in driver.all_of("log") if m["level"] == "warn"]
    assert "tokenizer does not know 8" in warning and "training rows" in warning
    known = support.in_thread()
    known.train(train_message(base, tmp_path / "known", rows, rows, epochs=1))
    assert not [m for m in known.all_of("log") if "tokenizer" in m["message"]]
