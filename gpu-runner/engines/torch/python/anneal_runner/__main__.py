"""Runs the process that a runner drives over file descriptors 3 and 4."""

import argparse
import os
import sys


def main() -> int:
    parser = argparse.ArgumentParser(prog="anneal_runner", description=__doc__)
    parser.add_argument("--threads", type=int, default=1, help="threads of torch")
    parser.add_argument("--step-seconds", type=float, default=600.0, help="a step that takes longer counts as a hang")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--processes", type=int, default=1, help="processes that train a model together")
    parser.add_argument("--deterministic", choices=("on", "off"), default="on", help="off: a GPU may add in any order")
    arguments = parser.parse_args()
    # Set before the libraries are imported: they read these once.
    os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false", HF_HUB_DISABLE_TELEMETRY="1")
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
    # Progress bars would push the last lines of the log out, which tell why a process died.
    os.environ.update(HF_HUB_DISABLE_PROGRESS_BARS="1", TQDM_DISABLE="1")
    from .main import run

    # Neither is closed: the reading thread may be inside a read, and the process ends at once anyway.
    source, sink = open(3, "rb", buffering=0, closefd=False), open(4, "wb", closefd=False)
    is_deterministic = arguments.deterministic == "on"
    return run(source, sink, arguments.threads, arguments.step_seconds, arguments.device, arguments.processes, is_deterministic)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads that wait for a pipe must not hold the exit up.
    os._exit(code)
