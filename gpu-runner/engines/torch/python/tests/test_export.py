"""Exported folders, loaded again by transformers and peft alone."""

import json
import shutil
from pathlib import Path

import pytest
import support
import torch
from gguf import GGUFReader
from peft import PeftModel
from safetensors.torch import load_file, save_file
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    PreTrainedModel,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)
from transformers.tokenization_utils_tokenizers import PreTrainedTokenizerFast

from anneal_runner.adapters import adapter_tensors, add_adapter, write_adapter
from anneal_runner.bases import BaseFacts, load_base
from anneal_runner.frames import Message

QUESTION = support.chat_rows()[0]["messages"][:1]
ANSWER = support.chat_rows()[0]["messages"][1]["content"]


def exported(driver: support.Driver, base: Path, adapter: Path, output: Path, **fields: str) -> Message:
    """Returns `exported`. Fails when the export did."""
    end = ended(driver, base, adapter, output, **fields)
    assert end["type"] == "exported", end
    return end


def ended(driver: support.Driver, base: Path, adapter: Path, output: Path, **fields: str) -> Message:
    before = len(driver.messages)
    driver.send("export", base=support.base_message(base), adapter=str(adapter), output=str(output), **fields)
    return driver.until(lambda m: m["type"] in ("exported", "error") and any(m is late for late in driver.messages[before:]))


def load(folder: Path, **options: object) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    model = AutoModelForCausalLM.from_pretrained(folder, **options)
    return model.eval(), AutoTokenizer.from_pretrained(folder, **{k: v for k, v in options.items() if k == "gguf_file"})


def answer(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> str:
    """Returns what the model generates greedily by itself, with the settings of its own folder."""
    inputs = tokenizer.apply_chat_template(QUESTION, add_generation_prompt=True, return_tensors="pt", return_dict=True)
    tokens = model.generate(**inputs, do_sample=False, max_new_tokens=60)  # type: ignore[operator]
    return str(tokenizer.decode(tokens[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True))


def logits(model: PreTrainedModel) -> torch.Tensor:
    with torch.no_grad():
        return model(torch.arange(3, 60)[None]).logits.float()  # type: ignore[no-any-return]


def with_adapter(base: Path, adapter: Path) -> PreTrainedModel:
    """Returns what is served: the adapter beside its base."""
    return PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base), str(adapter)).eval()  # type: ignore[return-value]


def random_adapter(base: Path, directory: Path) -> Path:
    """Writes an adapter that changes every answer."""
    facts = BaseFacts.read(support.base_message(base))
    model = add_adapter(load_base(facts, torch.device("cpu"), torch.float32).model, 8, 16, 0)
    tensors = {name: torch.randn_like(tensor) * 0.1 for name, tensor in adapter_tensors(model).items()}
    write_adapter(directory, model, tensors, facts)
    return directory


def test_an_adapter_is_a_peft_folder(driver: support.Driver, tiny: Path, overfit: Path, tmp_path: Path) -> None:
    told = exported(driver, tiny, overfit, tmp_path / "adapter", format="adapter")
    assert told["dtype"] == "float32" and told["parameters"] > 0
    assert {file.name for file in (tmp_path / "adapter").iterdir()} == {"adapter_model.safetensors", "adapter_config.json"}
    model = with_adapter(tiny, tmp_path / "adapter")
    assert answer(model, AutoTokenizer.from_pretrained(tiny)) == ANSWER


def test_a_merged_model_answers_as_the_adapter_on_its_base_does(
    driver: support.Driver, tiny: Path, overfit: Path, tmp_path: Path
) -> None:
    told = exported(driver, tiny, overfit, tmp_path / "merged", format="merged")
    model, tokenizer = load(tmp_path / "merged")
    assert (told["dtype"], told["parameters"]) == ("float32", model.num_parameters())
    assert type(model) is LlamaForCausalLM
    assert torch.allclose(logits(model), logits(with_adapter(tiny, overfit)), atol=1e-4)
    assert answer(model, tokenizer) == ANSWER
    assert model.generation_config.eos_token_id == [tokenizer.convert_tokens_to_ids("<|im_end|>")]
    files = {file.name: file.read_bytes() for file in (tmp_path / "merged").iterdir()}
    assert {"model.safetensors", "config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"} <= set(files)
    assert files["tokenizer.json"] == (tiny / "tokenizer.json").read_bytes()
    assert str(tiny).encode() not in b"".join(files.values())
    assert [m["fraction"] for m in driver.all_of("progress")][-1] == 1.0


def test_a_merged_model_keeps_the_type_of_numbers_of_its_base(
    driver: support.Driver, tiny: Path, overfit: Path, tmp_path: Path
) -> None:
    half = tmp_path / "half"
    shutil.copytree(tiny, half)
    LlamaForCausalLM.from_pretrained(tiny, dtype=torch.bfloat16).save_pretrained(half)
    assert exported(driver, half, overfit, tmp_path / "merged", format="merged")["dtype"] == "bfloat16"
    merged = load_file(tmp_path / "merged" / "model.safetensors")
    assert {tensor.dtype for tensor in merged.values()} == {torch.bfloat16}
    # Each weight is rounded once: it is the sum in float32, to the nearest number of the type.
    layer = "model.layers.0.mlp.up_proj"
    tensors = load_file(overfit / "adapter_model.safetensors")
    a, b = (tensors[f"base_model.model.{layer}.lora_{each}.weight"] for each in "AB")
    scale = 32 / 16
    whole = load_file(half / "model.safetensors")[f"{layer}.weight"].float() + scale * (b @ a)
    assert torch.equal(merged[f"{layer}.weight"], whole.bfloat16())


def test_an_export_leaves_nothing_of_a_format_that_is_not_known_or_of_another_base(
    driver: support.Driver, tiny: Path, overfit: Path, tmp_path: Path
) -> None:
    assert ended(driver, tiny, overfit, tmp_path / "a", format="marble")["field"] == "format"
    other = shutil.copytree(overfit, tmp_path / "other")
    facts = json.loads((other / "anneal.json").read_text())
    facts["base"]["sha256"] = "1" * 64
    (other / "anneal.json").write_text(json.dumps(facts))
    for format in ("adapter", "merged"):
        assert ended(driver, tiny, other, tmp_path / "out" / format, format=format)["kind"] == "artifact"
    assert list((tmp_path / "out").iterdir()) == []


def test_a_base_of_another_type_of_numbers_is_refused_by_name(
    driver: support.Driver, tiny: Path, overfit: Path, tmp_path: Path
) -> None:
    strange = tmp_path / "strange"
    shutil.copytree(tiny, strange)
    weights = load_file(tiny / "model.safetensors")
    save_file({name: tensor.to(torch.int8) for name, tensor in weights.items()}, strange / "model.safetensors")
    refused = ended(driver, strange, overfit, tmp_path / "out", format="merged")
    assert refused["kind"] == "unsupported" and "I8" in refused["message"]


@pytest.mark.parametrize(("format", "tolerance"), [("gguf", 2e-2), ("gguf-q8_0", 0.3)])
def test_a_gguf_file_answers_as_the_merged_model_does(
    driver: support.Driver, tiny: Path, overfit: Path, tmp_path: Path, format: str, tolerance: float
) -> None:
    told = exported(driver, tiny, overfit, tmp_path / "out", format=format)
    assert told["dtype"] == {"gguf": "f16", "gguf-q8_0": "q8_0"}[format]
    (file,) = (tmp_path / "out").iterdir()
    model, tokenizer = load(tmp_path / "out", gguf_file=file.name)
    assert told["parameters"] == model.num_parameters()
    expected = logits(with_adapter(tiny, overfit))
    assert (logits(model) - expected).abs().max() < tolerance * expected.abs().max()
    assert answer(model, tokenizer) == ANSWER
    text = "Where does Zoé live?\n\n  12 <|im_end|>"
    assert tokenizer(text)["input_ids"] == AutoTokenizer.from_pretrained(tiny)(text)["input_ids"]
    assert tokenizer.chat_template == support.CHATML


def test_a_gguf_base_is_exported_with_its_own_tokenizer_and_merged_in_float32(
    driver: support.Driver, tiny: Path, overfit: Path, tmp_path: Path
) -> None:
    exported(driver, tiny, overfit, tmp_path / "base", format="gguf")
    out = tmp_path / "again"
    exported(driver, tmp_path / "base", overfit, out, format="gguf")
    once, again = (GGUFReader(next(folder.iterdir())) for folder in (tmp_path / "base", out))
    assert {key: field.contents() for key, field in once.fields.items() if key.startswith("tokenizer.")} == {
        key: field.contents() for key, field in again.fields.items() if key.startswith("tokenizer.")
    }
    exported(driver, tmp_path / "base", overfit, tmp_path / "merged", format="merged")
    model, tokenizer = load(tmp_path / "merged")
    assert model.dtype == torch.float32 and tokenizer.chat_template == support.CHATML
    # The adapter was added twice.
    name = "blk.0.ffn_up.weight"
    tensors = load_file(overfit / "adapter_model.safetensors")
    a, b = (tensors[f"base_model.model.model.layers.0.mlp.up_proj.lora_{each}.weight"] for each in "AB")
    whole, added = (next(t.data for t in reader.tensors if t.name == name) for reader in (once, again))
    assert torch.allclose(torch.tensor(added - whole).float(), 2 * (b @ a), atol=5e-3)


KINDS = {
    "qwen2": (Qwen2Config, Qwen2ForCausalLM),
    "qwen3": (Qwen3Config, Qwen3ForCausalLM),
    "mistral": (MistralConfig, MistralForCausalLM),
}


@pytest.mark.parametrize("architecture", KINDS)
def test_other_architectures_of_gguf_keep_their_logits(driver: support.Driver, tmp_path: Path, architecture: str) -> None:
    base = support.make_base(tmp_path / "base")
    config, kind = KINDS[architecture]
    shape = {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
    }
    window = {"max_position_embeddings": 512, "sliding_window": None, "initializer_range": 0.1}
    # transformers reads no other size of heads from files of Qwen 3.
    heads = {"head_dim": 128} if architecture == "qwen3" else {}
    size = LlamaForCausalLM.from_pretrained(base).config.vocab_size
    torch.manual_seed(1)
    model = kind(config(**shape, **window, **heads, vocab_size=size, eos_token_id=2, tie_word_embeddings=True))
    for name, parameter in model.named_parameters():
        if name.endswith(("bias", "norm.weight")):
            torch.nn.init.normal_(parameter, 1, 0.2)
    model.save_pretrained(base)
    adapter = random_adapter(base, tmp_path / "adapter")
    exported(driver, base, adapter, tmp_path / "out", format="gguf")
    (file,) = (tmp_path / "out").iterdir()
    loaded, _ = load(tmp_path / "out", gguf_file=file.name)
    expected = logits(with_adapter(base, adapter))
    assert (logits(loaded) - expected).abs().max() < 2e-2 * expected.abs().max()
    plain = AutoModelForCausalLM.from_pretrained(base).eval()
    assert (logits(plain) - expected).abs().max() > 0.2 * expected.abs().max()


def test_what_gguf_cannot_hold_is_refused_by_name(driver: support.Driver, tiny: Path, overfit: Path, tmp_path: Path) -> None:
    def refusal(change: dict[str, object], file: str = "config.json") -> str:
        base = tmp_path / f"base-{len(list(tmp_path.iterdir()))}"
        shutil.copytree(tiny, base)
        (base / file).write_text(json.dumps(json.loads((base / file).read_text()) | change))
        end = ended(driver, base, overfit, tmp_path / "out", format="gguf")
        assert end["kind"] == "unsupported", end
        return str(end["message"])

    assert "architecture olmo" in refusal({"model_type": "olmo", "architectures": ["OlmoForCausalLM"]})
    rope = {"rope_type": "linear", "factor": 2.0, "rope_theta": 10_000.0}
    assert "type linear" in refusal({"rope_parameters": rope})
    assert "splits texts" in refusal({"pre_tokenizer": {"type": "Whitespace"}}, "tokenizer.json")
    assert not (tmp_path / "out").exists()
