"""The type that a device computes in, and what a training says of itself."""

from pathlib import Path

import pytest
import support
import torch
from safetensors.torch import load_file

from anneal_runner.machine import autocast, compute_dtype


@pytest.mark.parametrize(("has_bfloat16", "expected"), [(True, torch.bfloat16), (False, torch.float32)])
def test_a_gpu_that_only_emulates_bfloat16_computes_in_float32(
    has_bfloat16: bool, expected: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: including_emulation or has_bfloat16)
    gpu = torch.device("cuda:0")
    assert compute_dtype(gpu) is expected and compute_dtype(torch.device("cpu")) is torch.float32
    if not has_bfloat16:
        with autocast(gpu):
            assert not torch.is_autocast_enabled("cuda")


def test_a_training_says_on_what_it_runs_and_how_much_it_trains(
    driver: support.Driver, tiny: Path, rows: Path, held_out: Path, tmp_path: Path
) -> None:
    end = driver.train(support.train_message(tiny, tmp_path / "out", rows, held_out, epochs=1, samples=0))
    count = sum(tensor.numel() for tensor in load_file(Path(end["directory"]) / "adapter_model.safetensors").values())
    assert driver.all_of("log")[0]["message"] == f"Training {count:,} parameters on cpu in float32"
