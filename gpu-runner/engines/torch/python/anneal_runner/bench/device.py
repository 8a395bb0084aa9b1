"""The device's own figures: its matrix rate, its memory."""

import resource
import sys
import time

import torch

SIZES = {"cpu": (512, 1024, 2048), "cuda": (2048, 4096, 8192)}


def matrix_rate(device: torch.device, dtype: torch.dtype, seconds: float) -> tuple[float, int]:
    """
    Returns the most floating-point operations a second in products of square matrices, and their size.

    Each size is measured for `seconds`.
    """
    return max((_rate_of(size, device, dtype, seconds), size) for size in SIZES[device.type])


def _rate_of(size: int, device: torch.device, dtype: torch.dtype, seconds: float) -> float:
    a, b = (torch.randn(size, size, device=device, dtype=dtype) for _ in range(2))
    out = torch.empty_like(a)
    torch.mm(a, b, out=out)
    synchronize(device)
    products, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        for _ in range(4):
            torch.mm(a, b, out=out)
        products += 4
        synchronize(device)
    return products * 2 * size**3 / (time.perf_counter() - started)


def synchronize(device: torch.device) -> None:
    """Waits until the device has done all its work."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def forget_peak(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)


def peak_bytes(device: torch.device) -> int:
    """Returns the most memory that tensors had on a GPU since `forget_peak`; on a CPU the most that the process ever had."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
