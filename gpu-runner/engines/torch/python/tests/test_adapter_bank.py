"""Adapters in memory, beside peft's own computation."""

from pathlib import Path

import pytest
import support
import torch
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, MixtralConfig

from anneal_runner.adapter_bank import AdapterBank
from anneal_runner.adapters import adapter_tensors, add_adapter, read_adapter, write_adapter
from anneal_runner.bases import Base, BaseFacts, load_base
from anneal_runner.errors import RunnerError

CPU = torch.device("cpu")


@pytest.fixture
def base(tiny: Path) -> Base:
    return load_base(BaseFacts(**support.base_message(tiny) | {"directory": tiny}), CPU, torch.float32)


def write_random(base: Base, directory: Path, rank: int, alpha: float) -> Path:
    """Writes an adapter that changes the model's answers."""
    model = add_adapter(base.model, rank, alpha, 0.0)
    torch.manual_seed(rank)
    tensors = {name: torch.randn_like(tensor) * 0.1 for name, tensor in adapter_tensors(model).items()}
    write_adapter(directory, model, tensors, base.facts)
    base.model = model.unload()  # type: ignore[assignment]
    return directory


@torch.inference_mode()
def test_rows_of_a_mixed_batch_get_the_logits_that_peft_computes(base: Base, tiny: Path, tmp_path: Path) -> None:
    folders = {"a": write_random(base, tmp_path / "a", 4, 12), "b": write_random(base, tmp_path / "b", 8, 8)}
    tokens = torch.randint(0, 300, (5, 7))
    adapters = ["a", None, "b", "a", "b"]
    bank = AdapterBank(base.model)
    for name, folder in folders.items():
        bank.add(name, *read_adapter(folder, base.facts))
    with bank.using(adapters):
        mixed = base.model(input_ids=tokens).logits
    plain = base.model(input_ids=tokens).logits
    expected = {None: AutoModelForCausalLM.from_pretrained(tiny)(input_ids=tokens).logits}
    for name, folder in folders.items():
        model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(tiny), str(folder))
        expected[name] = model.eval()(input_ids=tokens).logits
        with bank.using([name]):
            torch.testing.assert_close(base.model(input_ids=tokens).logits, expected[name])
    torch.testing.assert_close(plain, expected[None])
    assert (expected["a"] - expected[None]).abs().max() > 0.1
    for row, name in enumerate(adapters):
        torch.testing.assert_close(mixed[row], expected[name][row], msg=f"row {row}")


@torch.inference_mode()
def test_rows_of_a_mixed_batch_get_their_own_update_where_a_layer_reads_the_tokens_of_all_rows_in_one_list() -> None:
    class Flat(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.expert = torch.nn.Linear(6, 3)

        def forward(self, inputs: torch.Tensor) -> torch.Tensor:
            return self.expert(inputs.view(-1, 6)).view(*inputs.shape[:2], 3)

    torch.manual_seed(0)
    model, inputs = Flat(), torch.randn(3, 4, 6)
    bank = AdapterBank(model)
    for name in ("a", "b"):
        matrices = {"A": torch.randn(2, 6), "B": torch.randn(3, 2)}
        tensors = {f"base_model.model.expert.lora_{side}.weight": matrix for side, matrix in matrices.items()}
        bank.add(name, LoraConfig(r=2, lora_alpha=4), tensors)
    adapters = ["b", None, "a"]
    with bank.using(adapters):
        mixed = model(inputs)
    for row, name in enumerate(adapters):
        with bank.using([name]):
            torch.testing.assert_close(mixed[row], model(inputs[row : row + 1])[0], msg=f"row {row}")


def test_a_model_whose_experts_cannot_be_served_is_not_trained() -> None:
    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 2}
    model = AutoModelForCausalLM.from_config(MixtralConfig(vocab_size=16, num_local_experts=2, **sizes))
    with pytest.raises(RunnerError, match="mixture of experts"):
        add_adapter(model, 2, 4, 0.0)


def test_a_removed_adapter_leaves_nothing_behind(base: Base, tmp_path: Path) -> None:
    bank = AdapterBank(base.model)
    config, tensors = read_adapter(write_random(base, tmp_path / "a", 4, 8), base.facts)
    assert bank.add("a", config, tensors) == sum(tensor.numel() * 4 for tensor in tensors.values())
    bank.remove("a")
    assert not any(module._forward_hooks for module in base.model.modules())


def test_adapters_that_do_not_fit_are_refused(base: Base, tmp_path: Path) -> None:
    bank = AdapterBank(base.model)
    config, tensors = read_adapter(write_random(base, tmp_path / "a", 4, 8), base.facts)
    name = next(iter(tensors))
    with pytest.raises(ValueError, match="another shape"):
        bank.add("a", config, tensors | {name: torch.zeros(4, 3)})
    with pytest.raises(ValueError, match="one matrix only"):
        bank.add("a", config, {other: tensor for other, tensor in tensors.items() if other != name})
    with pytest.raises(AttributeError):
        bank.add("a", config, {f"base_model.model.nothing.lora_{side}.weight": torch.zeros(4, 4) for side in "AB"})
    config.use_dora = True
    with pytest.raises(ValueError, match="use_dora"):
        bank.add("a", config, tensors)
    assert not any(module._forward_hooks for module in base.model.modules())
