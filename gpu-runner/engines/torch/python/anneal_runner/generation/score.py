"""The score of the answer that ends a chat: how likely a model finds it."""

import torch

from ..chat import Chat
from ..errors import RunnerError
from ..training.batches import make_batch
from ..training.loss import summed_loss
from ..training.rows import HiddenAnswer, encode_row
from .served_base import ServedBase


@torch.inference_mode()
def score(served: ServedBase, adapter: str | None, chat: Chat) -> tuple[float, int]:
    """
    Returns the loss of the last message, an answer of the assistant, in nats, summed, and the number of its tokens.

    There are none where the chat does not fit into the window, or the template hides the answer. Raises RunnerError if the
    chat does not end with an answer.
    """
    messages, tools = chat
    if len(messages) < 2 or messages[-1].get("role") != "assistant":
        raise RunnerError("bad_request", "The chat has no answer of the assistant after a message", "messages")
    try:
        row = encode_row(served.base.tokenizer, messages, last_only=True, tools=tools)
    except HiddenAnswer:
        return 0.0, 0
    if row.learned == 0 or len(row.tokens) > served.base.context_tokens:
        return 0.0, 0
    batch = make_batch([[row]], 0, served.device)
    with served.using(adapter) as model:
        return summed_loss(model, batch).item(), batch.learned
