"""An export: a folder that appears when it is whole."""

import shutil
from pathlib import Path
from typing import Any

import torch

from ..adapters import CONFIG, WEIGHTS, read_adapter
from ..bases import load_base
from ..encoders.artifact import KIND, is_full, load_heads, load_weights, parted, read_encoder
from ..encoders.base import load_encoder
from ..encoders.gliner import is_gliner
from ..errors import RunnerError
from ..training.context import TrainContext
from .gguf import MATRICES, require_gguf, write_gguf
from .merge import merge_adapter
from .merged import stored_dtype, write_merged
from .onnx_graphs import write_onnx
from .request import ExportRequest

UNFINISHED = ".unfinished"
CPU = torch.device("cpu")


def export(request: ExportRequest, context: TrainContext) -> None:
    """
    Writes a trained model in one format and reports `exported`. Works on the CPU: the files are the same on every machine.

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
    if request.format == "onnx":
        return _write_encoder(request, directory, context)
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


def _write_encoder(request: ExportRequest, directory: Path, context: TrainContext) -> dict[str, object]:
    if is_gliner(request.base):
        raise RunnerError("unsupported", "GLiNER2 models are not written as ONNX: they read the schema of each call")
    tensors, layout = read_encoder(request.adapter, request.base)
    backbone, own = parted(tensors)
    base = load_encoder(request.base, CPU, torch.float32)
    if is_full(request.adapter):
        load_weights(base.model, backbone)
    else:
        config, adapter = read_adapter(request.adapter, request.base, KIND)
        merge_adapter(base, config, adapter, lambda fraction: _progress(context, 0.2 * fraction))
    heads = load_heads(layout, base.width, own, CPU)
    _progress(context, 0.2)
    write_onnx(base, heads, directory, lambda fraction: _progress(context, fraction))
    _progress(context, 1.0)
    modules: tuple[Any, ...] = (base.model, heads)
    return {"dtype": "float32", "parameters": sum(p.numel() for module in modules for p in module.parameters())}


def _progress(context: TrainContext, fraction: float) -> None:
    context.claim()
    context.report("progress", fraction=fraction, epoch=0, step=0)
