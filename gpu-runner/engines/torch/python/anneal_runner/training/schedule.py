"""The learning rate of each step."""

import math


def learning_rate_factor(scheduler: str, step: int, steps: int, warmup_ratio: float) -> float:
    """Returns the factor (0 to 1) on the learning rate for step `step` (from 0) of `steps`."""
    warmup = math.ceil(steps * warmup_ratio)
    if step < warmup:
        return (step + 1) / warmup
    if scheduler == "constant":
        return 1.0
    left = (steps - step) / max(1, steps - warmup)
    return left if scheduler == "linear" else 0.5 * (1 + math.cos(math.pi * (1 - left)))
