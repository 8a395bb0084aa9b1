"""Trained encoders as ONNX: read in onnxruntime, they answer as in torch."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import encoders
import numpy as np
import onnx
import pytest
import support
import torch
from encoders import infer, labelled_rows, load_message, train_message
from transformers import (
    AutoModel,
    DebertaV2Config,
    DebertaV2Model,
    ModernBertConfig,
    ModernBertModel,
    MPNetConfig,
    MPNetModel,
    RobertaConfig,
    RobertaModel,
)

from anneal_runner.encoders.chains import Chains, SpanFinder
from anneal_runner.exporting import run_onnx

FIELDS = [{"name": "who", "dtype": "str"}, {"name": "where", "dtype": "str"}]
EVERYTHING = {
    "entities": [{"name": "person"}, {"name": "city"}],
    "classifications": [{"task": "mood", "labels": ["asked", "told"], "multiLabel": False}],
    "structures": [{"name": "home", "fields": FIELDS}],
    "relations": [{"name": "lives in"}],
}
PATIENCE = 600.0
"""Seconds: torch traces a graph for some ten seconds of CPU."""
TEXTS = [row["text"] for row in labelled_rows(40)] + [
    "",
    " \n",
    "Zoe",
    "张伟 lives in Paris, not in Oslo.",
    "\ud800 Ada lives in Lyon.",
    "Ada lives in Paris, not in Oslo. " * 20,
]


def trained(base: Path, folder: Path, **settings: Any) -> Path:
    driver = support.in_thread()
    train = support.write_rows(folder / "train.jsonl", labelled_rows())
    asked = {"epochs": 12, "learningRate": 1e-2, "loraR": 8, "trainingType": "lora"} | settings
    end = driver.train(train_message(base, folder, train, train, **asked))
    assert end["type"] == "trained", end
    driver.close()
    return Path(end["directory"])


def export(driver: support.Driver, base: Path, adapter: Path, output: Path) -> dict[str, Any]:
    driver.send("export", format="onnx", base=support.base_message(base), adapter=str(adapter), output=str(output))
    return driver.until(lambda message: message["type"] in ("exported", "error"), PATIENCE)


def program(folder: Path) -> Any:
    """Returns the program of an export as a module."""
    spec = importlib.util.spec_from_file_location("run", folder / "run.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return encoders.make_encoder(tmp_path_factory.mktemp("encoder"))


def in_torch(driver: support.Driver, base: Path, adapter: Path) -> list[dict[str, Any]]:
    driver.send(**support.keywords(load_message(base, adapter)))
    driver.of("loaded")
    return infer(driver, TEXTS, EVERYTHING)["results"]


def plain(result: dict[str, Any]) -> dict[str, Any]:
    """Returns a result of torch in the shape of the program's."""

    def hit(value: dict[str, Any]) -> dict[str, Any]:
        return {name: value[name] for name in ("text", "start", "end", "confidence")}

    records = {name: [{part: hit(v[0]) for part, v in r.items()} for r in rs] for name, rs in result["structures"].items()}
    return {
        "truncated": result["truncated"],
        "entities": {label: [hit(each) for each in hits] for label, hits in result["entities"].items()},
        "classification": result["classifications"]["mood"][0],
        "structures": records,
        "relations": {
            name: [{end: hit(each[end]) for end in ("head", "tail")} for each in found]
            for name, found in result["relations"].items()
        },
    }


def close(got: Any, expected: Any) -> bool:
    """True where two results differ by the rounding of confidences alone."""
    if isinstance(expected, float):
        return isinstance(got, float) and abs(got - expected) < 1e-3
    if isinstance(expected, dict):
        return got.keys() == expected.keys() and all(close(got[name], value) for name, value in expected.items())
    if isinstance(expected, list):
        return len(got) == len(expected) and all(map(close, got, expected))
    return bool(got == expected)


@pytest.mark.parametrize("training_type", ["lora", "full"])
def test_an_exported_encoder_answers_in_onnxruntime_as_in_torch(
    driver: support.Driver, base: Path, tmp_path: Path, training_type: str
) -> None:
    rate = {"learningRate": 2e-3} if training_type == "full" else {}
    adapter = trained(base, tmp_path, trainingType=training_type, **rate)
    told = export(driver, base, adapter, tmp_path / "out")
    assert told["type"] == "exported", told
    assert told["dtype"] == "float32" and told["parameters"] > AutoModel.from_pretrained(base).num_parameters() * 0.9
    names = {"model.onnx", "relations.onnx", "model.json", "tokenizer.json", "run.py"}
    assert {file.name for file in (tmp_path / "out").iterdir()} == names
    expected = [plain(result) for result in in_torch(driver, base, adapter)]
    got = program(tmp_path / "out").Encoder(tmp_path / "out")(TEXTS)
    assert all(result["entities"]["person"] for result in expected[:32])
    for text, one, other in zip(TEXTS, got, expected, strict=True):
        assert close(one, other), (text, one, other)


@pytest.fixture(scope="module")
def out(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("out")
    driver = support.in_thread()
    told = export(driver, base, trained(base, folder), folder / "out")
    assert told["type"] == "exported", told
    driver.close()
    return folder / "out"


def test_the_program_of_an_export_runs_without_torch(out: Path) -> None:
    refusing = "import sys; sys.modules['torch'] = sys.modules['transformers'] = None; sys.argv = ['run.py', 'Ada lives in Paris.']"
    code = f"{refusing}; import runpy; runpy.run_path('run.py', run_name='__main__')"
    ran = subprocess.run([sys.executable, "-c", code], cwd=out, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout)["entities"]["city"][0]["text"] == "Paris"


def test_a_graph_names_nothing_of_the_machine_that_wrote_it(out: Path) -> None:
    for name in ("model.onnx", "relations.onnx"):
        onnx.checker.check_model(out / name)
        content = (out / name).read_bytes()
        assert b"site-packages" not in content and b"anneal_runner" not in content and str(out.parent).encode() not in content


def test_only_what_was_learned_is_in_the_graph(driver: support.Driver, base: Path, tmp_path: Path) -> None:
    rows = support.write_rows(tmp_path / "rows.jsonl", encoders.only(labelled_rows(), "labels"))
    end = support.in_thread().train(train_message(base, tmp_path, rows, rows, epochs=2, multiLabel=True))
    export(driver, base, Path(end["directory"]), tmp_path / "out")
    graph = onnx.load(tmp_path / "out" / "model.onnx").graph
    assert [output.name for output in graph.output] == ["class_scores"]
    assert not (tmp_path / "out" / "relations.onnx").exists()
    (found,) = program(tmp_path / "out").Encoder(tmp_path / "out")(["Ada lives in Paris."], threshold=0.0)
    assert found.keys() == {"truncated", "classification"}
    assert {each["label"] for each in found["classification"]} == {"asked", "told"}


def test_spans_in_numpy_are_those_of_the_chains() -> None:
    torch.manual_seed(3)
    chains = Chains(1).double()
    with torch.no_grad():
        chains.transitions.normal_()

    find = run_onnx
    for words in (1, 2, 12):
        emissions = torch.randn(1, words, 1, 3, dtype=torch.float64) * 2
        mask = torch.ones(1, words, dtype=torch.bool)
        passes = chains.forward_pass(emissions, mask)[0], chains.backward_pass(emissions, mask)[0]
        for threshold in (0.0, 0.2, 0.5):
            expected = SpanFinder(emissions[0], *passes, chains.scores()).find(0, threshold)
            got = find.find_spans(emissions[0, :, 0].numpy(), chains.scores()[0].detach().numpy(), threshold)
            assert [(s.first, s.last) for s in expected] == [(first, last) for first, last, _ in got]
            assert np.allclose([s.confidence for s in expected], [confidence for *_, confidence in got])


SHAPE: dict[str, Any] = {
    "hidden_size": 48,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 130,
    "initializer_range": 0.2,
}
KINDS: dict[str, Any] = {
    "roberta": lambda size: RobertaModel(RobertaConfig(**SHAPE, vocab_size=size, pad_token_id=0)),
    "mpnet": lambda size: MPNetModel(MPNetConfig(**SHAPE, vocab_size=size, pad_token_id=0)),
    "deberta-v2": lambda size: DebertaV2Model(
        DebertaV2Config(
            **SHAPE, vocab_size=size, relative_attention=True, position_buckets=16, pos_att_type=["p2c", "c2p"], share_att_key=True
        )
    ),
    "modernbert": lambda size: ModernBertModel(
        ModernBertConfig(**SHAPE, vocab_size=size, local_attention=8, global_attn_every_n_layers=2, pad_token_id=0)
    ),
}


@pytest.mark.parametrize("architecture", KINDS)
def test_other_architectures_answer_in_onnxruntime_as_in_torch(
    driver: support.Driver, base: Path, tmp_path: Path, architecture: str
) -> None:
    other = tmp_path / "other"
    tokenizer = encoders.make_encoder_tokenizer()
    torch.manual_seed(1)
    KINDS[architecture](len(tokenizer)).save_pretrained(other)
    tokenizer.save_pretrained(other)
    adapter = trained(other, tmp_path, epochs=2)
    told = export(driver, other, adapter, tmp_path / "out")
    assert told["type"] == "exported", told
    got = program(tmp_path / "out").Encoder(tmp_path / "out")(TEXTS)
    for one, result in zip(got, in_torch(driver, other, adapter), strict=True):
        assert close(one, plain(result))


def test_what_is_no_graph_is_refused_by_name(driver: support.Driver, tmp_path: Path) -> None:
    gliner = encoders.make_gliner(tmp_path / "gliner", "span")
    told = export(driver, gliner, tmp_path / "adapter", tmp_path / "out")
    assert (told["type"], told["kind"]) == ("error", "unsupported") and "GLiNER2" in told["message"]
    decoder = support.make_base(tmp_path / "decoder")
    told = export(driver, decoder, tmp_path / "adapter", tmp_path / "out")
    assert told["type"] == "error" and not (tmp_path / "out").exists()
