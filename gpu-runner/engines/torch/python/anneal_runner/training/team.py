"""Starts the other processes of a training, and ends them with it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from ..channel import Channel
from ..errors import RunnerError
from ..frames import Message
from .ranks import Ranks

GRACE_SECONDS = 10.0
"""Seconds in which the first process may report a fault that all of them meet."""
NOTICE_SECONDS = 2.0
"""Seconds within which the end of a process is known after its connections are lost."""
LOOPBACK = "lo0" if sys.platform == "darwin" else "lo"


@contextmanager
def team_of(message: Message, count: int, threads: int, device: torch.device, channel: Channel) -> Iterator[Ranks]:
    """
    Starts the other processes of `count` that work on a `train` message, of which this is the first.

    One that ends before the training takes this process along, so that the runner finds the attempt lost. All of them end when
    this process does: their standard input closes.
    """
    if count == 1:
        yield Ranks()
        return
    if device.type == "cuda" and count > torch.cuda.device_count():
        raise RunnerError("training", f"{count} processes are to train together, and torch sees {torch.cuda.device_count()} GPUs")
    # Processes of one machine speak to one another over the loopback alone.
    os.environ.update(GLOO_SOCKET_IFNAME=LOOPBACK, NCCL_SOCKET_IFNAME=LOOPBACK)
    folder = Path(tempfile.mkdtemp(prefix="ranks-"))
    over = threading.Event()
    others: list[subprocess.Popen[bytes]] = []
    watchers: list[threading.Thread] = []
    ranks = Ranks(0, count, device)
    try:
        for rank in range(1, count):
            task = {"message": message, "rank": rank, "count": count, "store": str(folder / "store")}
            task |= {"threads": threads, "device": device.type}
            task |= {"deterministic": torch.are_deterministic_algorithms_enabled()}
            other = _start(task)
            others.append(other)
            watchers.append(threading.Thread(target=_watch, args=(other, rank, over, channel), name=f"rank {rank}", daemon=True))
            watchers[-1].start()
        ranks.join(folder / "store")
        yield ranks
    except Exception:
        # A process that was killed loses its connections before its end is known: its watcher has the first word.
        deadline = time.monotonic() + NOTICE_SECONDS
        for watcher in watchers:
            watcher.join(max(0.0, deadline - time.monotonic()))
        raise
    finally:
        over.set()
        for other in others:
            other.kill()
            other.wait()
        ranks.leave()
        shutil.rmtree(folder, ignore_errors=True)


def _start(task: dict[str, Any]) -> "subprocess.Popen[bytes]":
    other = subprocess.Popen([sys.executable, "-m", "anneal_runner.training.member"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdin is not None
    other.stdin.write(json.dumps(task).encode() + b"\n")
    other.stdin.flush()
    return other


def _watch(other: "subprocess.Popen[bytes]", rank: int, over: threading.Event, channel: Channel) -> None:
    """Ends this process when another one fails or is gone: it may wait for that one for ever."""
    assert other.stdout is not None
    said = other.stdout.readline()
    if said == b"done\n":
        return
    if said:
        if not over.wait(GRACE_SECONDS):
            channel.send("error", id=None, **json.loads(said))
            os._exit(1)
        return
    code = other.wait()
    if not over.is_set():
        print(f"Process {rank} of this training ended with code {code}", file=sys.stderr, flush=True)
        os._exit(1)
