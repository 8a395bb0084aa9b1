"""What only a GPU can show; the other tests hold there too. See proof.py."""

from pathlib import Path

import pytest
import support
import torch
from test_generation import Server

ROWS = support.chat_rows()
on_gpu = pytest.mark.skipif(support.DEVICE == "cpu", reason="no GPU was asked for")


def test_eight_adapters_of_three_ranks_answer_in_one_batch_as_alone(driver: support.Driver, tiny: Path, tmp_path: Path) -> None:
    server = Server(driver, tiny)
    empty = support.write_rows(tmp_path / "validation.jsonl", [])
    for index in range(8):
        rows = [{"messages": [row["messages"][0], {"role": "assistant", "content": f"It is {index}."}]} for row in ROWS[:8]]
        train = support.write_rows(tmp_path / f"{index}.jsonl", rows)
        rank = 4 + 4 * (index % 3)
        settings = {"epochs": 12, "learningRate": 0.01, "loraR": rank, "loraAlpha": 2 * rank, "loraDropout": 0.0}
        trained = support.in_thread().train(support.train_message(tiny, tmp_path / f"a{index}", train, empty, **settings))
        server.load(f"a{index}", Path(trained["directory"]))
    asked = [{"model": f"a{index % 8}", "messages": row["messages"][:1]} for index, row in enumerate(ROWS[:16])]
    started = [server.start(**each) for each in asked]
    assert [server.result(request).text for request in started] == [f"It is {index % 8}." for index in range(16)]
    assert [server.generate(**each).text for each in asked] == [f"It is {index % 8}." for index in range(16)]


@on_gpu
def test_memory_that_runs_out_on_the_card_halves_the_batch(
    driver: support.Driver, tiny: Path, rows: Path, held_out: Path, tmp_path: Path
) -> None:
    torch.cuda.empty_cache()
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1.0, (torch.cuda.memory_reserved(0) + 90e6) / total))
    try:
        driver.train(support.train_message(tiny, tmp_path / "out", rows, held_out, epochs=1, batchSize=32))
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert any(message["message"].startswith("Out of memory with 32 rows at once") for message in driver.all_of("log"))


@on_gpu
def test_the_card_computes_in_a_type_of_its_own(
    driver: support.Driver, tiny: Path, rows: Path, held_out: Path, tmp_path: Path
) -> None:
    driver.train(support.train_message(tiny, tmp_path / "out", rows, held_out, epochs=1))
    first = driver.all_of("log")[0]["message"]
    assert torch.cuda.get_device_properties(0).name in first
    assert ("bfloat16" in first) == torch.cuda.is_bf16_supported(including_emulation=False)
