"""An export: a folder that appears when it is whole."""

import shutil
from pathlib import Path

import torch

from ..adapters import CONFIG, WEIGHTS, read_adapter
from ..bases import load_base
from ..training.context import TrainContext
from .gguf import MATRICES, require_gguf, write_gguf
from .merge import merge_adapter
from .merged import stored_dtype, write_merged
from .request import ExportRequest

UNFINISHED = ".unfinished"
CPU = torch.device("cpu")


def export(request: ExportRequest, context: TrainContext) -> None:
    """
    Writes a trained decoder in one format and reports `exported`. Works on the CPU: the files are the same on every machine.

    Raises RunnerError: artifact for damaged files, unsupported for a model that the format cannot hold.
    """
    unfinished = request.output.with_name(request.output.name + UNFINISHED)
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    try:
        facts = _write(request, unfinished, context)
        unfinished.rename(request.output)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    context.report("exported", directory=str(request.output), **facts)


def _write(request: ExportRequest, directory: Path, context: TrainContext) -> dict[str, object]:
    """Returns the facts of the result: its type of numbers, and how many it has."""
    config, tensors = read_adapter(request.adapter, request.base)
    if request.format == "adapter":
        for name in (WEIGHTS, CONFIG):
            shutil.copyfile(request.adapter / name, directory / name)
        return {"dtype": "float32", "parameters": sum(tensor.numel() for tensor in tensors.values())}
    base = load_base(request.base, CPU, stored_dtype(request.base.directory))
    if request.format in MATRICES:
        require_gguf(base)
    _progress(context, 0.2)
    merge_adapter(base, config, tensors, lambda fraction: _progress(context, 0.2 + 0.4 * fraction))
    if request.format in MATRICES:
        write_gguf(base, directory, request.format, lambda fraction: _progress(context, 0.6 + 0.4 * fraction))
        dtype = MATRICES[request.format].name.lower()
    else:
        write_merged(base, directory)
        dtype = str(base.model.dtype).removeprefix("torch.")
    _progress(context, 1.0)
    return {"dtype": dtype, "parameters": sum(p.numel() for p in base.model.parameters())}


def _progress(context: TrainContext, fraction: float) -> None:
    context.claim()
    context.report("progress", fraction=fraction, epoch=0, step=0)
