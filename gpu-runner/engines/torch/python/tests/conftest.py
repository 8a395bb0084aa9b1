import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false", TQDM_DISABLE="1")
if os.environ.get("ANNEAL_TEST_DEVICE", "cpu") == "cpu":
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
else:
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read once, when CUDA starts

import pytest  # noqa: E402
import support  # noqa: E402


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny instruct model."""
    return support.make_base(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return support.write_rows(tmp_path / "train.jsonl", support.chat_rows())


@pytest.fixture
def held_out(tmp_path: Path) -> Path:
    return support.write_rows(tmp_path / "validation.jsonl", support.chat_rows(40)[32:])


@pytest.fixture
def driver() -> Iterator[support.Driver]:
    driver = support.in_thread()
    yield driver
    driver.close()


@pytest.fixture(scope="session")
def overfit(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> Path:
    """An adapter that knows the 32 rows by heart; `epochs.json` beside it has its curve."""
    return _trained(tmp_path_factory.mktemp("overfit"), tiny, support.chat_rows())


@pytest.fixture(scope="session")
def other_adapter(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> Path:
    """An adapter that answers everything with `NO.`."""
    rows = support.chat_rows()
    for row in rows:
        row["messages"][1]["content"] = "NO."
    return _trained(tmp_path_factory.mktemp("other"), tiny, rows, epochs=8)


def _trained(folder: Path, base: Path, rows: list[dict[str, Any]], epochs: int = 60) -> Path:
    driver = support.in_thread()
    train = support.write_rows(folder / "train.jsonl", rows)
    empty = support.write_rows(folder / "validation.jsonl", [])
    trained = driver.train(
        support.train_message(
            base,
            folder,
            train,
            empty,
            epochs=epochs,
            learningRate=0.01,
            loraR=16,
            loraAlpha=32,
            loraDropout=0.0,
            scheduler="cosine",
        )
    )
    (folder / "epochs.json").write_text(json.dumps(driver.all_of("epoch")))
    driver.close()
    return Path(trained["directory"])
