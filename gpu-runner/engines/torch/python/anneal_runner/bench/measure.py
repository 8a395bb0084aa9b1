"""All measurements of one run, and how they are shown."""

import argparse
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from ..bases import Base, BaseFacts, load_base
from ..machine import compute_dtype, facts, prepare
from .device import matrix_rate
from .generation import ServedModels
from .models import Shape, text_of, write_adapters, write_random_base
from .training import measure_training

GREEDY, SAMPLED = (0.0, 1.0), (0.7, 0.9)
"""Temperature and `top_p`."""
SHAPE_FIELDS = ("layers", "hidden", "intermediate", "heads", "key_value_heads", "vocabulary")


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Returns the figures of a run, as they are written as JSON."""
    device = prepare(arguments.threads, arguments.device)
    dtype = compute_dtype(device)
    rate, size = matrix_rate(device, dtype, arguments.matrix_seconds)
    with TemporaryDirectory(prefix="anneal-bench-") as work:
        folder, name = _base_folder(arguments, Path(work) / "base")
        started = time.perf_counter()
        base = load_base(BaseFacts(name, "0" * 64, folder), device, dtype)
        load_seconds = time.perf_counter() - started
        about = facts(device)
        figures = {
            "device": about["device"],
            "threads": arguments.threads if device.type == "cpu" else None,
            "memory_bytes": about["memoryBytes"],
            "versions": about["versions"],
            "dtype": str(dtype).removeprefix("torch."),
            "matrix_flops_per_second": rate,
            "matrix_size": size,
            "base": {
                "name": name,
                "parameters": sum(parameter.numel() for parameter in base.model.parameters()),
                "bytes": base.byte_size,
                "load_seconds": load_seconds,
            },
            "rank": arguments.rank,
            "training": _training(arguments, base, Path(work), device),
        }
        return figures | {"generation": _generation(arguments, base, Path(work), device)}


def _base_folder(arguments: argparse.Namespace, work: Path) -> tuple[Path, str]:
    if arguments.base is not None:
        return arguments.base, arguments.base.resolve().name
    given = {name: getattr(arguments, name) for name in SHAPE_FIELDS if getattr(arguments, name) is not None}
    shape = replace(Shape(), **given)
    write_random_base(work, shape)
    return work, f"random, {shape.layers} layers of {shape.hidden}"


def _training(arguments: argparse.Namespace, base: Base, work: Path, device: torch.device) -> list[dict[str, Any]]:
    tokens, rank, steps = arguments.row_tokens, arguments.rank, arguments.steps
    return [
        measure_training(base, work / f"training-{rows}", device, rows, tokens, rank, steps).as_json() for rows in arguments.rows
    ]


def _generation(arguments: argparse.Namespace, base: Base, work: Path, device: torch.device) -> list[dict[str, Any]]:
    folders = write_adapters(base, work, max(arguments.adapters), arguments.rank)
    prompts = [text_of(base, arguments.prompt_tokens, seed) for seed in range(arguments.requests)]
    facts = base.facts
    base.release()
    served = ServedModels(facts, device)
    runs = [(count, GREEDY) for count in arguments.adapters] + [(arguments.adapters[-1], SAMPLED)]
    return [served.generate(folders[:count], prompts, arguments.answer_tokens, *how).as_json() for count, how in runs]


def table(figures: dict[str, Any]) -> str:
    """Returns the figures as Markdown for people."""
    base, versions = figures["base"], figures["versions"]
    rate = figures["matrix_flops_per_second"]
    threads = f", {figures['threads']} threads" if figures["threads"] else ""
    packages = ", ".join(f"{name} {versions[name]}" for name in ("torch", "transformers", "peft"))
    lines = [
        f"Device: {figures['device']}{threads}, {figures['memory_bytes'] / 2**30:.0f} GiB. {packages}.",
        f"Matrix products of {figures['dtype']}: {rate / 1e12:.3f} TFLOP/s (size {figures['matrix_size']}).",
        f"Base: {base['name']}, {base['parameters'] / 1e6:.0f} M parameters, {base['bytes'] / 1e6:.0f} MB, "
        f"loaded in {base['load_seconds']:.1f} s. Adapters of rank {figures['rank']}.",
        "",
        "| training, rows a step | tokens a row | tokens/s | share of the matrix rate | memory, MB |",
        "| --: | --: | --: | --: | --: |",
    ]
    for row in figures["training"]:
        share, megabytes = row["flops_per_second"] / rate, row["peak_bytes"] / 1e6
        cells = [f"{row['rows']}", f"{row['row_tokens']}", f"{row['tokens_per_second']:.0f}", f"{share:.1%}", f"{megabytes:.0f}"]
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "| generation, adapters | temperature, top_p | requests | tokens/s | share of the matrix rate | first token alone, ms "
        "| together, ms | adapter loaded in, ms | memory, MB |",
        "| --: | --: | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for row in figures["generation"]:
        cells = [
            f"{row['adapters']}",
            f"{row['temperature']:g}, {row['top_p']:g}",
            f"{row['requests']}",
            f"{row['tokens_per_second']:.1f}",
            f"{row['flops_per_second'] / rate:.2%}",
            f"{row['first_token_seconds'] * 1e3:.0f}",
            f"{row['first_token_seconds_together'] * 1e3:.0f}",
            f"{row['load_seconds'] * 1e3:.0f}",
            f"{row['peak_bytes'] / 1e6:.0f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
