import json
from pathlib import Path

import pytest
import support
import torch
from peft import PeftModel
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast

from anneal_runner.chat import conversation
from anneal_runner.training import decoder as decoder_training
from anneal_runner.training import samples
from anneal_runner.training.batches import Batch
from anneal_runner.training.loss import summed_loss
from anneal_runner.training.rows import HiddenAnswer, encode_row, read_conversations
from anneal_runner.training.schedule import learning_rate_factor


def test_it_overfits_32_examples_and_says_how_far_it_is(driver: support.Driver, overfit: Path) -> None:
    epochs = json.loads((overfit.parent / "epochs.json").read_text())
    assert epochs[-1]["trainingLoss"] < 0.05 < 1 < epochs[0]["trainingLoss"]
    assert [epoch["epoch"] for epoch in epochs] == list(range(1, len(epochs) + 1))


def test_an_adapter_loads_in_plain_transformers_and_peft_with_the_same_answers(tiny: Path, overfit: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(tiny), str(overfit)).eval()
    for row in support.chat_rows()[:4]:
        text = tokenizer.apply_chat_template(row["messages"][:1], tokenize=False, add_generation_prompt=True)
        inputs = tokenizer(text, return_tensors="pt", add_special_tokens=False)
        made = model.generate(**inputs, max_new_tokens=60, do_sample=False)
        answer = tokenizer.decode(made[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
        assert answer == row["messages"][1]["content"]


def test_the_same_seed_gives_the_same_file_and_another_seed_another(tiny: Path, rows: Path, held_out: Path, tmp_path: Path) -> None:
    files = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        driver = support.in_thread()
        driver.train(support.train_message(tiny, tmp_path / name, rows, held_out, epochs=1, seed=seed))
        driver.close()
        files.append((tmp_path / name / "final" / "adapter_model.safetensors").read_bytes())
    assert files[0] == files[1] != files[2]


def test_only_answers_are_learned_with_the_token_that_ends_them(tiny: Path) -> None:
    tokenizer = support.make_tokenizer()
    messages = [
        {"role": "user", "content": "a?"},
        {"role": "assistant", "content": "one"},
        {"role": "user", "content": "b?"},
        {"role": "assistant", "content": "two"},
    ]
    row = encode_row(tokenizer, messages)
    learned = tokenizer.decode([token for token, label in zip(row.tokens, row.labels, strict=True) if label >= 0])
    assert learned == "one<|im_end|>two<|im_end|>"


def test_answers_that_a_template_shows_otherwise_in_earlier_turns_are_not_learned() -> None:
    hides_thoughts = (
        "{% for m in messages %}<|im_start|>{{ m['role'] }}\n"
        "{% if m['role'] == 'assistant' and loop.last %}<think></think>{% endif %}"
        "{{ m['content'] }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    messages = [
        {"role": role, "content": text} for role, text in (("user", "a"), ("assistant", "1"), ("user", "b"), ("assistant", "2"))
    ]
    shown = conversation(support.make_tokenizer(hides_thoughts), messages)
    assert [shown.text[a.start : a.end] for a in shown.answers] == ["<think></think>2<|im_end|>"]


def test_a_base_without_a_template_learns_contents_alone() -> None:
    messages = [{"role": "user", "content": "a?"}, {"role": "assistant", "content": "one"}]
    shown = conversation(support.make_tokenizer(template=None), messages)
    assert shown.text == "a?\n\none<|im_end|>" and [shown.text[a.start : a.end] for a in shown.answers] == ["one<|im_end|>"]


def test_a_prompt_is_learned_from_in_the_tokens_that_it_is_asked_in() -> None:
    tokenizer = support.make_tokenizer(None, ["a?\n\n", "\n\n"] * 50)
    messages = [
        {"role": "user", "content": "Where?"},
        {"role": "assistant", "content": "Paris"},
        {"role": "user", "content": "Sure?"},
        {"role": "assistant", "content": "\n Yes"},
    ]
    row = encode_row(tokenizer, messages)
    prompt = tokenizer("Where?\n\n")["input_ids"]
    assert row.tokens[: len(prompt)] == prompt != tokenizer("Where?\n\nParis")["input_ids"][: len(prompt)]
    learned = tokenizer.decode([token for token, label in zip(row.tokens, row.labels, strict=True) if label >= 0])
    assert learned == "Paris\n Yes<|im_end|>"
    assert tokenizer.decode(row.tokens) == "Where?\n\nParis\n\nSure?\n\n\n Yes<|im_end|>"


def test_a_tokenizer_that_writes_a_space_before_a_text_alone_writes_none_before_an_answer() -> None:
    words = {"<s>": 0, "▁": 1, "▁a": 2, "b": 3, "?": 4, "<0x0A>": 5, "a": 6}
    tokenizer = Tokenizer(models.BPE(words, [("▁", "a")], byte_fallback=True))  # type: ignore[arg-type]
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(split=False)  # type: ignore[assignment]
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<s>")
    row = encode_row(fast, [{"role": "user", "content": "a?"}, {"role": "assistant", "content": "b"}])
    assert row.tokens == [2, 4, 5, 5, 3, 0] and row.labels == [-100] * 4 + [3, 0]


@pytest.mark.parametrize("template", [support.CHATML, None])
def test_an_answer_that_answers_nothing_is_not_learned(template: str | None) -> None:
    tokenizer = support.make_tokenizer(template)
    greeting = {"role": "assistant", "content": "Hello"}
    row = encode_row(tokenizer, [greeting, {"role": "user", "content": "a?"}, {"role": "assistant", "content": "one"}])
    learned = tokenizer.decode([token for token, label in zip(row.tokens, row.labels, strict=True) if label >= 0])
    assert learned == "one<|im_end|>"
    assert support.encoded(tokenizer, [[greeting]]).dropped == 1


def test_samples_that_cannot_be_made_do_not_end_a_training(
    driver: support.Driver, tiny: Path, rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = [{"messages": [{"role": "assistant", "content": "Hello"}]}, *support.chat_rows(1)]
    held_out = support.write_rows(tmp_path / "held_out.jsonl", alone)

    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("no answer")

    monkeypatch.setattr(samples, "render", fails)
    driver.train(support.train_message(tiny, tmp_path / "out", rows, held_out, epochs=1, samples=2))
    assert [m["message"] for m in driver.all_of("log")][2:] == ["No sample: RuntimeError"]


@pytest.mark.parametrize("kind", ["decoder", "preferences"])
def test_a_template_that_hides_answers_is_refused_by_that_name(
    driver: support.Driver, tiny: Path, tmp_path: Path, kind: str
) -> None:
    base = support.make_base(tmp_path / "base", support.THINKING)
    pairs = [{"prompt": "a?", "chosen": "b", "rejected": "c"}]
    rows = support.write_rows(tmp_path / "rows.jsonl", support.chat_rows(2) if kind == "decoder" else pairs)
    driver.send(**support.keywords(support.train_message(base, tmp_path / "out", rows, rows) | {"kind": kind}))
    error = driver.of("error")
    assert error["kind"] == "training" and "chat template does not show answers" in error["message"]


def test_an_earlier_answer_is_not_taken_for_the_last_one() -> None:
    hides_the_last = support.CHATML.replace(
        "message['content']", "('' if loop.last else '<think>\n') + message['content']"
    ).replace("assistant\n'", "assistant\n<think>\n'")
    messages = [
        {"role": role, "content": text} for role, text in (("user", "a"), ("assistant", "1"), ("user", "b"), ("assistant", "2"))
    ]
    tokenizer = support.make_tokenizer(hides_the_last)
    with pytest.raises(HiddenAnswer):
        encode_row(tokenizer, messages, last_only=True)


def test_rows_are_cut_or_left_out_and_counted() -> None:
    tokenizer = support.make_tokenizer()
    conversations = [row["messages"] for row in support.chat_rows(4)]
    whole = support.encoded(tokenizer, conversations)
    assert (len(whole.packs), whole.truncated, whole.dropped) == (4, 0, 0)
    prompt = next(index for index, label in enumerate(whole.packs[0][0].labels) if label >= 0)
    assert support.encoded(tokenizer, conversations[:1], prompt + 2).truncated == 1
    cut = support.encoded(tokenizer, conversations, 4)
    assert (len(cut.packs), cut.truncated, cut.dropped) == (0, 4, 4)


def test_each_row_that_is_read_or_tokenised_claims_progress(rows: Path) -> None:
    claims = []
    conversations = [chat.messages for chat in read_conversations(rows, lambda: claims.append("read"))]
    support.encoded(support.make_tokenizer(), conversations, claim=lambda: claims.append("tokenised"))
    assert claims == ["read"] * 32 + ["tokenised"] * 32


def test_memory_that_runs_out_halves_the_batch_and_the_result_stays(
    tiny: Path, rows: Path, held_out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"epochs": 1, "loraDropout": 0.0}
    whole = support.in_thread()
    expected = whole.train(support.train_message(tiny, tmp_path / "whole", rows, held_out, **settings))

    def starved(model: object, batch: Batch) -> torch.Tensor:
        if len(batch.tokens) > 3:
            raise torch.OutOfMemoryError("no memory")
        return summed_loss(model, batch)

    monkeypatch.setattr(decoder_training, "summed_loss", starved)
    halved = support.in_thread()
    actual = halved.train(support.train_message(tiny, tmp_path / "halved", rows, held_out, **settings))
    assert [m["message"] for m in halved.all_of("log")][1:] == [
        "Out of memory with 8 rows at once: going on with 4 and accumulation",
        "Out of memory with 4 rows at once: going on with 2 and accumulation",
    ]
    for name in ("finalTrainingLoss", "finalValidationLoss"):
        assert actual["metrics"][name] == pytest.approx(expected["metrics"][name], rel=1e-3)


def test_memory_that_runs_out_with_one_row_is_said(
    driver: support.Driver, tiny: Path, rows: Path, held_out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def starved(model: object, batch: Batch) -> torch.Tensor:
        raise torch.OutOfMemoryError("no memory")

    monkeypatch.setattr(decoder_training, "summed_loss", starved)
    driver.send(**support.keywords(support.train_message(tiny, tmp_path / "out", rows, held_out)))
    assert driver.of("error")["kind"] == "out_of_memory"


def test_gradient_checkpointing_learns_the_same(tiny: Path, rows: Path, held_out: Path, tmp_path: Path) -> None:
    losses = []
    for checkpointing in (False, True):
        driver = support.in_thread()
        output = tmp_path / str(checkpointing)
        message = support.train_message(tiny, output, rows, held_out, epochs=1, gradientCheckpointing=checkpointing)
        losses.append(driver.train(message)["metrics"]["finalTrainingLoss"])
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)


def test_training_stops_early_with_the_best_epoch(
    driver: support.Driver, tiny: Path, rows: Path, held_out: Path, tmp_path: Path
) -> None:
    message = support.train_message(
        tiny, tmp_path / "out", rows, held_out, epochs=30, learningRate=0.1, scheduler="constant", earlyStoppingPatience=2
    )
    trained = driver.train(message)
    checkpoints = driver.all_of("checkpoint")
    best = [m for m in checkpoints if m["isBest"]][-1]
    assert trained["epochsRun"] == best["epoch"] + 2 < 30 and checkpoints[-1]["isFinal"]
    assert trained["metrics"]["bestValidationLoss"] == best["validationLoss"]
    weights = "adapter_model.safetensors"
    assert (Path(trained["directory"]) / weights).read_bytes() == (Path(best["directory"]) / weights).read_bytes()


def test_a_cancelled_training_ends(driver: support.Driver, tiny: Path, rows: Path, held_out: Path, tmp_path: Path) -> None:
    driver.send(**support.keywords(support.train_message(tiny, tmp_path / "out", rows, held_out, epochs=10_000)))
    driver.of("progress")
    driver.send("cancel", id=None)
    assert driver.of("error")["kind"] == "cancelled"


def test_training_continues_from_an_adapter(driver: support.Driver, tiny: Path, overfit: Path, rows: Path, tmp_path: Path) -> None:
    message = support.train_message(tiny, tmp_path / "out", rows, rows, epochs=1, learningRate=1e-6, loraR=16, loraAlpha=32)
    driver.train(message | {"startFrom": str(overfit)})
    assert driver.of("epoch")["validationLoss"] < 0.05


@pytest.mark.parametrize(
    ("changes", "kind", "says"),
    [
        ({"settings": {"trainingType": "full"}}, "unsupported", "`full`"),
        ({"settings": {"momentum": 1}}, "bad_request", "`momentum`"),
        ({"settings": {"epochs": 0}}, "bad_request", "`epochs`"),
        ({"colour": "red"}, "bad_request", "`colour`"),
        ({"base": {"id": "test/tiny", "sha256": "0", "directory": "/nowhere"}}, "artifact", "does not exist"),
        ({"train": "empty"}, "training", "No row has an answer"),
        ({"train": "wrong"}, "training", "Row 2"),
    ],
)
def test_what_cannot_be_trained_is_refused_by_name(
    driver: support.Driver, tiny: Path, rows: Path, held_out: Path, tmp_path: Path, changes: dict, kind: str, says: str
) -> None:
    message = support.train_message(tiny, tmp_path / "out", rows, held_out)
    files = {
        "empty": support.write_rows(tmp_path / "empty.jsonl", [{"messages": [{"role": "user", "content": "a"}]}]),
        "wrong": support.write_rows(tmp_path / "wrong.jsonl", [support.chat_rows()[0], {"text": "a"}]),
    }
    settings = message["settings"] | changes.get("settings", {})
    message |= {**changes, "settings": settings}
    message["train"] = str(files.get(message["train"], message["train"]))
    driver.send(**support.keywords(message))
    error = driver.of("error")
    assert error["kind"] == kind and says in error["message"]


@pytest.mark.parametrize("scheduler", ["constant", "linear", "cosine"])
def test_the_learning_rate_warms_up_and_then_follows_its_schedule(scheduler: str) -> None:
    factors = [learning_rate_factor(scheduler, step, 100, 0.1) for step in range(100)]
    assert factors[0] == pytest.approx(0.1) and factors[9] == factors[10] == 1.0
    assert all(0 < factor <= 1 for factor in factors)
    assert factors[99] == (1.0 if scheduler == "constant" else pytest.approx(0.0, abs=0.02))
