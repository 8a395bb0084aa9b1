from contextlib import nullcontext
from pathlib import Path

import pytest
import support
import torch
from transformers import OPTConfig, OPTForCausalLM

from anneal_runner.adapters import add_adapter
from anneal_runner.bases import BaseFacts, load_base
from anneal_runner.training.batches import Batch, epoch_packs, make_batch
from anneal_runner.training.loss import summed_loss
from anneal_runner.training.packing import require_apart

CPU = torch.device("cpu")


def make_opt_base(directory: Path) -> Path:
    """Writes a random model whose layers mask nothing by positions."""
    tokenizer = support.make_tokenizer()
    torch.manual_seed(0)
    config = OPTConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        word_embed_proj_dim=64,
        ffn_dim=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=256,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = OPTForCausalLM(config)
    for parameter in model.parameters():
        parameter.data.normal_(0, 0.1)
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory


def test_padding_and_packing_do_not_change_the_loss(tiny: Path) -> None:
    base = load_base(BaseFacts("test/tiny", "0", tiny), CPU, torch.float32)
    model = add_adapter(base.model, 4, 8, 0.0)
    packs = support.encoded(base.tokenizer, [row["messages"] for row in support.chat_rows(5)]).packs
    rows = [row for pack in packs for row in pack]

    def loss(*batches: Batch) -> float:
        return sum(summed_loss(model, batch).item() for batch in batches)

    alone = loss(*(make_batch([pack], 0, CPU) for pack in packs))
    assert loss(make_batch(packs, 0, CPU)) == pytest.approx(alone, rel=1e-4)
    assert loss(make_batch([rows], 0, CPU)) == pytest.approx(alone, rel=1e-4)
    require_apart(model, rows, 0, CPU, nullcontext)


def test_packs_hold_every_row_once_within_the_limit() -> None:
    packs = support.encoded(support.make_tokenizer(), [row["messages"] for row in support.chat_rows()]).packs
    rows = [row for pack in packs for row in pack]
    packed = epoch_packs(rows, seed=3, epoch=1, packed=True, max_tokens=200)
    assert max(len(pack) for pack in packed) > 1 and max(sum(len(row.tokens) for row in pack) for pack in packed) <= 200
    assert sorted(row.tokens for pack in packed for row in pack) == sorted(row.tokens for row in rows)


def test_a_packed_training_learns_in_fewer_steps_and_resumes_to_the_same_file(tiny: Path, rows: Path, tmp_path: Path) -> None:
    settings = {"epochs": 4, "batchSize": 1, "packing": True, "learningRate": 5e-3}
    whole = support.in_thread()
    trained = whole.train(support.train_message(tiny, tmp_path / "whole", rows, rows, **settings))
    epochs, checkpoints = whole.all_of("epoch"), whole.all_of("checkpoint")
    assert epochs[0]["step"] < 32 and epochs[-1]["validationLoss"] < epochs[0]["validationLoss"] / 2
    resumed = support.in_thread()
    message = support.train_message(tiny, tmp_path / "resumed", rows, rows, **settings)
    again = resumed.train(message | {"resumeFrom": checkpoints[1]["directory"]})
    weights = "adapter_model.safetensors"
    assert (Path(again["directory"]) / weights).read_bytes() == (Path(trained["directory"]) / weights).read_bytes()


def test_a_base_whose_rows_would_read_each_other_is_refused_by_name(
    driver: support.Driver, rows: Path, held_out: Path, tmp_path: Path
) -> None:
    base = make_opt_base(tmp_path / "opt")
    message = support.train_message(base, tmp_path / "out", rows, held_out, epochs=1)
    driver.train(message)
    message["settings"]["packing"] = True
    driver.send(**support.keywords(message))
    error = driver.of("error")
    assert error["kind"] == "unsupported" and "`packing`" in error["message"]
