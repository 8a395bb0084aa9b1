"""
Measures tokens a second of training and of generation, on one base and many adapters, beside the device's own matrix rate.

Without `--base` the model is random, of the shape of SmolLM2-135M or of the shape that is given.
"""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path


def main(command: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="anneal_runner.bench", description=__doc__)
    parser.add_argument("--base", type=Path, help="folder of a model in the hub's format, or with one GGUF file")
    parser.add_argument("--layers", type=int, help="of a random model, as the next ones")
    parser.add_argument("--hidden", type=int)
    parser.add_argument("--intermediate", type=int)
    parser.add_argument("--heads", type=int)
    parser.add_argument("--key-value-heads", type=int)
    parser.add_argument("--vocabulary", type=int)
    parser.add_argument("--adapters", type=_counts, default=[1, 8, 64], help="adapters that requests take turns on (1,8,64)")
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--requests", type=int, default=64, help="sent at once")
    parser.add_argument("--prompt-tokens", type=int, default=64)
    parser.add_argument("--answer-tokens", type=int, default=32)
    parser.add_argument("--rows", type=_counts, default=[1, 8, 64], help="rows of a step of training (1,8,64)")
    parser.add_argument("--row-tokens", type=int, default=128)
    parser.add_argument("--steps", type=int, default=3, help="measured steps of each training")
    parser.add_argument("--matrix-seconds", type=float, default=1.0, help="for each size of the matrix products")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path, help="file for the figures as JSON")
    arguments = parser.parse_args(command)
    # Set before the libraries are imported: they read these once.
    os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false", TQDM_DISABLE="1", HF_HUB_DISABLE_PROGRESS_BARS="1")
    from .measure import measure, table

    figures = measure(arguments)
    print(table(figures))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


def _counts(text: str) -> list[int]:
    counts = [int(part) for part in text.split(",")]
    if min(counts) < 1:
        raise ValueError(text)
    return counts


if __name__ == "__main__":
    main()
