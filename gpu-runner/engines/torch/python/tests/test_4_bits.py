import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import support
import torch
from test_generation import Server

from anneal_runner.bases import BaseFacts, load_base

needs_bitsandbytes = pytest.mark.skipif(find_spec("bitsandbytes") is None, reason="bitsandbytes is not installed")


@needs_bitsandbytes
def test_a_base_in_4_bits_is_learned_on_and_its_adapter_served_on_the_whole_base(
    driver: support.Driver, tiny: Path, rows: Path, held_out: Path, tmp_path: Path
) -> None:
    settings = {"epochs": 12, "learningRate": 0.01, "loraR": 16, "loraAlpha": 32, "loraDropout": 0.0, "loadIn4bit": True}
    trained = driver.train(support.train_message(tiny, tmp_path / "out", rows, held_out, **settings))
    losses = [message["trainingLoss"] for message in driver.all_of("epoch")]
    assert losses[-1] < losses[0] / 3
    server = Server(driver, tiny)
    server.load("tuned", Path(trained["directory"]))
    question = support.chat_rows()[0]["messages"][:1]
    assert server.generate(model="tuned", messages=question).text.startswith("{")


@needs_bitsandbytes
def test_a_base_in_4_bits_takes_less_memory(tiny: Path) -> None:
    facts = BaseFacts("test/tiny", "0", tiny)
    whole, small = (load_base(facts, torch.device("cpu"), torch.float32, in_4_bits=bits) for bits in (False, True))
    layer = "model.layers.0.mlp.up_proj"
    sizes = [
        parameter.numel() * parameter.element_size()
        for base in (whole, small)
        for parameter in [base.model.get_parameter(f"{layer}.weight")]
    ]
    assert sizes[1] * 8 == sizes[0]


def test_4_bits_without_bitsandbytes_are_refused_with_what_to_install(
    driver: support.Driver, tiny: Path, rows: Path, held_out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bitsandbytes", None)
    monkeypatch.setitem(sys.modules, "bitsandbytes.functional", None)
    driver.send(**support.keywords(support.train_message(tiny, tmp_path / "out", rows, held_out, loadIn4bit=True)))
    error = driver.of("error")
    assert error["kind"] == "unsupported"
    assert "`load_in_4bit` needs the Python package bitsandbytes" in error["message"] and "pip" in error["message"]
