"""The machine below this process: its device, memory and versions."""

import os
import platform
from contextlib import AbstractContextManager, nullcontext
from importlib.metadata import version

import torch

from . import __version__
from .errors import RunnerError

PROTOCOL = 1
_PACKAGES = ("torch", "transformers", "peft", "safetensors", "tokenizers", "llguidance", "gliner2")


def prepare(threads: int, device: str, deterministic: bool = True) -> torch.device:
    """
    Sets the threads of torch, makes its results repeatable if they are to be, and returns the device to use.

    `device` is `auto`, `cpu` or `cuda`. Raises RunnerError (unsupported) for `cuda` where there is none.
    """
    torch.set_num_threads(threads)
    if deterministic:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.use_deterministic_algorithms(True, warn_only=True)
    has_gpu = torch.cuda.is_available()
    if device == "cuda" and not has_gpu:
        raise RunnerError("unsupported", "`--device cuda` was asked for, and torch sees no GPU")
    return torch.device("cuda:0" if has_gpu and device != "cpu" else "cpu")


def facts(device: torch.device) -> dict[str, object]:
    """Returns the fields of `hello`. `memoryBytes` is that of the device."""
    if device.type == "cuda":
        memory = torch.cuda.get_device_properties(device).total_memory
    else:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    versions = {"anneal_runner": __version__, "python": platform.python_version()}
    versions |= {package: version(package) for package in _PACKAGES}
    return {"protocol": PROTOCOL, "versions": versions, "device": name_of(device), "memoryBytes": memory}


def name_of(device: torch.device) -> str:
    """Returns `cpu`, or `cuda:0 NAME`."""
    return f"cuda:0 {torch.cuda.get_device_properties(device).name}" if device.type == "cuda" else "cpu"


def compute_dtype(device: torch.device) -> torch.dtype:
    """
    Returns the type to compute in: bfloat16 on a GPU that has it, float32 otherwise. GPUs before Ampere only emulate it, and in
    their float16 models that were trained in bfloat16 overflow.
    """
    has_bfloat16 = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    return torch.bfloat16 if has_bfloat16 else torch.float32


def autocast(device: torch.device) -> AbstractContextManager[object]:
    """Returns a context in which weights of float32 compute in `compute_dtype`."""
    dtype = compute_dtype(device)
    return nullcontext() if dtype is torch.float32 else torch.autocast(device.type, dtype)
