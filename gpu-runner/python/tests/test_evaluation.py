import json
import math
from pathlib import Path

import pytest
import support
from test_generation import Server


def test_an_evaluation_writes_an_answer_and_a_loss_for_each_row(
    driver: support.Driver, tiny: Path, overfit: Path, rows: Path, tmp_path: Path
) -> None:
    server = Server(driver, tiny)
    server.load("cities", overfit)
    results = {}
    for model in ("cities", "base"):
        output = tmp_path / f"{model}.jsonl"
        driver.send("evaluate", id=f"e-{model}", model=model, rows=str(rows), output=str(output), maxTokens=40)
        end = driver.until(lambda m, of=f"e-{model}": m.get("id") == of and m["type"] in ("evaluated", "error"))
        lines = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
        results[model] = end, lines
    end, lines = results["cities"]
    assert [line["answer"] for line in lines] == [row["messages"][1]["content"] for row in support.chat_rows()]
    assert {line["finishReason"] for line in lines} == {"stop"}
    assert end["rows"] == 32 and end["loss"] < 0.05 and end["perplexity"] == pytest.approx(math.exp(end["loss"]))
    nats = sum(line["loss"] * line["tokens"] for line in lines)
    assert end["loss"] == pytest.approx(nats / sum(line["tokens"] for line in lines))
    trained = json.loads((overfit.parent / "epochs.json").read_text())[-1]["trainingLoss"]
    assert end["loss"] == pytest.approx(trained, abs=0.01)
    assert results["base"][0]["loss"] > 3 and results["base"][1][0]["answer"] != lines[0]["answer"]
    fractions = [m["fraction"] for m in driver.all_of("progress") if m["id"] == "e-cities"]
    assert fractions == sorted(fractions) and fractions[-1] == 1


def test_a_row_without_an_answer_is_refused_by_its_number(driver: support.Driver, tiny: Path, tmp_path: Path) -> None:
    Server(driver, tiny)
    rows = [support.chat_rows()[0], {"messages": [{"role": "user", "content": "a"}]}]
    file = support.write_rows(tmp_path / "rows.jsonl", rows)
    driver.send("evaluate", id="e", model="base", rows=str(file), output=str(tmp_path / "out.jsonl"))
    error = driver.of("error")
    assert (error["id"], error["kind"]) == ("e", "training") and "Row 2" in error["message"]
