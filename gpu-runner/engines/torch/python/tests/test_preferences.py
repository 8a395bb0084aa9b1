import json
import math
from pathlib import Path

import pytest
import support
import torch
from test_generation import Server

from anneal_runner.training import preferences
from anneal_runner.training.batches import Batch


def preference_rows() -> list[dict]:
    """Returns rows that prefer the name of another city to the one of `chat_rows`."""
    rows = []
    for row in support.chat_rows(8):
        question, answer = (message["content"] for message in row["messages"])
        other = json.dumps(json.loads(answer) | {"city": "Nowhere"})
        rows.append({"prompt": question, "chosen": other, "rejected": answer})
    return rows


def message(tiny: Path, folder: Path, rows: Path, **settings: object) -> support.Message:
    defaults = {"epochs": 12, "batchSize": 4, "learningRate": 2e-3, "loraDropout": 0.0, "beta": 0.3}
    return support.train_message(tiny, folder, rows, rows, **(defaults | settings)) | {"kind": "preferences"}


def test_a_model_learns_to_prefer_the_chosen_answers(driver: support.Driver, tiny: Path, tmp_path: Path) -> None:
    rows = support.write_rows(tmp_path / "rows.jsonl", preference_rows())
    trained = driver.train(message(tiny, tmp_path / "out", rows))
    losses = [m["validationLoss"] for m in driver.all_of("epoch")]
    metrics = trained["metrics"]
    assert losses[0] < math.log(2) and losses[-1] < 0.1 and metrics["perplexity"] is None
    assert metrics["rewardAccuracy"] == 1 and metrics["rewardMargin"] > 2
    figures = f"reward accuracy 1.0000, reward margin {metrics['rewardMargin']:.4f}"
    assert driver.all_of("log")[-1]["message"].endswith(f": {figures}")
    server = Server(driver, tiny)
    server.load("tuned", Path(trained["directory"]))
    margins = {}
    for model in ("base", "tuned"):
        means = []
        for name in ("chosen", "rejected"):
            losses = [
                support.scored(
                    driver,
                    f"{model}-{name}-{number}",
                    model,
                    [{"role": "user", "content": row["prompt"]}, {"role": "assistant", "content": row[name]}],
                )["nats"]
                for number, row in enumerate(preference_rows())
            ]
            means.append(sum(losses) / len(losses))
        margins[model] = means[1] - means[0]
    assert margins["tuned"] > margins["base"] + 5


def test_an_untrained_adapter_has_no_preference(driver: support.Driver, tiny: Path, tmp_path: Path) -> None:
    rows = support.write_rows(tmp_path / "rows.jsonl", preference_rows())
    trained = driver.train(message(tiny, tmp_path / "out", rows, epochs=1, learningRate=1e-9))
    assert trained["metrics"]["finalTrainingLoss"] == pytest.approx(math.log(2), abs=1e-4)


def test_the_reference_is_the_adapter_that_training_starts_from(
    driver: support.Driver, tiny: Path, overfit: Path, tmp_path: Path
) -> None:
    rows = support.write_rows(tmp_path / "rows.jsonl", preference_rows())
    began = message(tiny, tmp_path / "out", rows, epochs=1, learningRate=1e-9, loraR=16, loraAlpha=32) | {"startFrom": str(overfit)}
    trained = driver.train(began)
    assert trained["metrics"]["finalTrainingLoss"] == pytest.approx(math.log(2), abs=1e-3)


def test_the_reference_has_no_dropout(driver: support.Driver, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modes = []
    losses = preferences.row_losses

    def watched(model: torch.nn.Module, batch: Batch) -> torch.Tensor:
        modes.append((torch.is_grad_enabled(), model.training))
        return losses(model, batch)

    monkeypatch.setattr(preferences, "row_losses", watched)
    rows = support.write_rows(tmp_path / "rows.jsonl", preference_rows())
    driver.train(message(tiny, tmp_path / "out", rows, epochs=1))
    assert set(modes) == {(True, True), (False, False)}


def test_a_training_goes_on_to_the_same_file_with_the_reference_that_it_began_with(
    tiny: Path, overfit: Path, tmp_path: Path
) -> None:
    rows = support.write_rows(tmp_path / "rows.jsonl", preference_rows())
    changes = {"startFrom": str(overfit)}
    ends = []
    for name in ("whole", "resumed"):
        driver = support.in_thread()
        began = message(tiny, tmp_path / name, rows, epochs=3, loraR=16, loraAlpha=32, loraDropout=0.1)
        ends.append(driver.train(began | changes))
        changes["resumeFrom"] = driver.all_of("checkpoint")[0]["directory"]
        driver.close()
    files = [(Path(end["directory"]) / "adapter_model.safetensors").read_bytes() for end in ends]
    assert files[0] == files[1] and ends[0]["metrics"] == ends[1]["metrics"]


def test_rows_whose_answers_are_alike_are_left_out_and_bad_rows_are_named(
    driver: support.Driver, tiny: Path, tmp_path: Path
) -> None:
    alike = {"prompt": "a", "chosen": "b", "rejected": "b"}
    rows = support.write_rows(tmp_path / "rows.jsonl", [*preference_rows(), alike])
    trained = driver.train(message(tiny, tmp_path / "out", rows, epochs=1))
    assert trained["metrics"]["trainRows"] == 8 and trained["metrics"]["droppedRows"] == 2
    bad = support.write_rows(tmp_path / "bad.jsonl", [alike, {"prompt": "a", "chosen": "b"}])
    driver.send(**support.keywords(message(tiny, tmp_path / "other", bad)))
    assert "Row 2" in driver.of("error")["message"]
