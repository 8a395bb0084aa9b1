"""The loss of a causal model on the tokens to be learned."""

from typing import Any

import torch
from peft import PeftModel
from torch.nn import functional

from ..bases import keeps_logits
from .batches import Batch
from .rows import IGNORED


def summed_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Returns the cross-entropy in nats, summed over the learned tokens of a batch, in float32."""
    return row_losses(model, batch).sum()


def row_losses(model: Any, batch: Batch) -> torch.Tensor:
    """Returns the cross-entropy in nats, summed over the learned tokens of each row of a batch, in float32."""
    columns = batch.columns
    inputs: dict[str, Any] = {
        "input_ids": batch.tokens,
        "position_ids": batch.positions,
        "attention_mask": batch.attention,
        "use_cache": False,
    }
    if keeps_logits(model.get_base_model() if isinstance(model, PeftModel) else model):
        # Logits of a large vocabulary are most of the memory: they are made only where some row has a token to learn.
        logits = model(**inputs, logits_to_keep=columns).logits
    else:
        logits = model(**inputs).logits[:, columns]
    targets = batch.labels[:, columns + 1]
    nats = functional.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), ignore_index=IGNORED, reduction="none")
    return nats.view(targets.shape).sum(dim=1)
