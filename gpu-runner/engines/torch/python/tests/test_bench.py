"""The measuring command, on a tiny random model."""

import json
from pathlib import Path

import pytest

from anneal_runner.bench.__main__ import main


def test_it_measures_training_and_generation_and_says_on_what(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    shape = "--layers 2 --hidden 32 --intermediate 64 --heads 4 --key-value-heads 2 --vocabulary 300"
    sizes = "--adapters 1,3 --rank 4 --requests 4 --prompt-tokens 12 --answer-tokens 5 --rows 2 --row-tokens 40 --steps 2"
    main([*f"{shape} {sizes} --matrix-seconds 0.01 --device cpu --threads 1 --json".split(), str(file)])
    figures = json.loads(file.read_text("utf-8"))
    assert figures["device"] == "cpu" and figures["threads"] == 1 and "torch" in figures["versions"]
    (training,) = figures["training"]
    assert training["steps"] == 2 and 40 <= training["row_tokens"] <= 80
    one, three, sampled = figures["generation"]
    assert [(row["adapters"], row["temperature"], row["top_p"]) for row in (one, three, sampled)] == [
        (1, 0, 1),
        (3, 0, 1),
        (3, 0.7, 0.9),
    ]
    # A sampled answer may end by itself.
    assert one["output_tokens"] == three["output_tokens"] == 4 * 5 and 4 <= sampled["output_tokens"] <= 4 * 5
    for row in (one, three, sampled):
        assert row["input_tokens"] >= 4 * 12
        assert row["first_token_seconds"] > 0 and row["first_token_seconds_together"] > 0
    for row in (training, one, three, sampled):
        assert 0 < row["flops_per_second"] < figures["matrix_flops_per_second"]
    shown = capsys.readouterr().out
    assert "2 layers of 32" in shown and f"| {training['rows']} | {training['row_tokens']} |" in shown
