"""A process that trains beside the first one of its team: it reads its task from standard input, and ends when that closes."""

import json
import os
import sys
import threading
from typing import Any


def main() -> None:
    task: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    # Set before the libraries are imported: they read these once.
    os.environ["OMP_NUM_THREADS"] = str(task["threads"])
    threading.Thread(target=_end_with_the_first, daemon=True).start()
    # What libraries print must not be taken for the report.
    report, sys.stdout = sys.stdout, sys.stderr
    said = _train(task)
    report.write("done\n" if said is None else json.dumps(said) + "\n")
    report.flush()
    threading.Event().wait()  # the first one ends it


def _end_with_the_first() -> None:
    while sys.stdin.buffer.read(1):
        pass
    os._exit(0)


def _train(task: dict[str, Any]) -> dict[str, str] | None:
    """Returns the fields of an `error`, or None once it is trained."""
    from pathlib import Path

    import torch

    from ..errors import RunnerError
    from ..failures import failure_fields, is_out_of_memory
    from ..machine import prepare
    from .context import SilentContext
    from .ranks import Ranks
    from .start import start_training

    device = prepare(task["threads"], task["device"], task["deterministic"])
    if device.type == "cuda":
        device = torch.device("cuda", task["rank"])
        torch.cuda.set_device(device)
    ranks = Ranks(task["rank"], task["count"], device)
    try:
        ranks.join(Path(task["store"]))
        start_training(task["message"], SilentContext(device, ranks))
    except BaseException as error:
        if not (isinstance(error, RunnerError) or is_out_of_memory(error)):
            raise
        return failure_fields(error)
    return None


if __name__ == "__main__":
    main()
