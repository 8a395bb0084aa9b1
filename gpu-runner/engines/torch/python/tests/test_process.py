"""The process as TypeScript starts it."""

import signal
from pathlib import Path

import support


def test_hello_comes_first_then_heartbeats_and_stop_ends_it() -> None:
    runner = support.Process()
    driver = runner.driver
    hello = driver.of("hello")
    assert driver.messages[0] == hello
    assert hello["protocol"] == 1 and hello["device"].startswith(support.DEVICE) and hello["memoryBytes"] > 2**20
    assert {"torch", "transformers", "peft", "python"} <= hello["versions"].keys()
    driver.send("gossip")
    assert driver.of("error")["kind"] == "bad_request"
    with driver._arrived:
        assert driver._arrived.wait_for(lambda: driver.heartbeats > 1, 30)
    driver.send("stop")
    assert runner.process.wait(30) == 0


def test_the_process_ends_when_its_pipe_closes() -> None:
    runner = support.Process()
    runner.driver.of("hello")
    runner.driver.close()
    assert runner.process.wait(30) == 0


def test_training_resumes_after_sigkill_to_the_same_curve_and_the_same_file(
    tiny: Path, rows: Path, held_out: Path, tmp_path: Path
) -> None:
    whole = support.Process()
    message = support.train_message(tiny, tmp_path / "whole", rows, held_out, epochs=3, saveSteps=3)
    expected = whole.driver.train(message)
    curve = [(m["trainingLoss"], m["validationLoss"]) for m in whole.driver.all_of("epoch")]
    whole.driver.send("stop")

    killed = support.Process(acknowledges=False)
    killed.driver.send(**support.keywords(message | {"output": str(tmp_path / "killed")}))
    first = killed.driver.of("checkpoint")
    killed.driver.send("ack", seq=first["seq"])
    second = killed.driver.until(lambda m: m["type"] == "checkpoint" and m["seq"] == first["seq"] + 1)
    assert second["step"] == 4 and first["step"] == 3
    killed.process.send_signal(signal.SIGKILL)
    killed.process.wait()

    # From the middle of an epoch, and from an epoch's end.
    for checkpoint, epochs_left in ((first, 3), (second, 2)):
        resumed = support.Process()
        output = tmp_path / f"resumed-{checkpoint['step']}"
        message["resumeFrom"] = checkpoint["directory"]
        actual = resumed.driver.train(message | {"output": str(output)})
        resumed.driver.send("stop")
        assert [(m["trainingLoss"], m["validationLoss"]) for m in resumed.driver.all_of("epoch")] == curve[-epochs_left:]
        assert actual["metrics"] == expected["metrics"]
        for name in ("adapter_model.safetensors", "adapter_config.json", "anneal.json"):
            assert (output / "final" / name).read_bytes() == (tmp_path / "whole" / "final" / name).read_bytes()
