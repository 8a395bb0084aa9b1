"""Answers of the model as it stands, for the log."""

from typing import Any

import torch

from ..bases import Base
from ..chat import Chat, answer_indices, render
from .context import TrainContext

MAX_SAMPLE_TOKENS = 48
MAX_SHOWN_CHARACTERS = 200


@torch.no_grad()
def log_samples(base: Base, model: Any, conversations: list[Chat], epoch: int, context: TrainContext) -> None:
    """Logs a greedy answer for the last answer of each conversation, beside the row's own. A sample that fails is only logged."""
    was_training = model.training
    model.eval()
    for messages, tools in conversations:
        context.claim()
        answers = answer_indices(messages)
        if not answers:
            continue
        try:
            sample = _sample(base, model, Chat(messages[: answers[-1]], tools), context.device)
        except Exception as error:  # a training must not fail for its log
            context.log("warn", f"No sample: {type(error).__name__}")
            continue
        if sample is not None:
            answer = messages[answers[-1]]
            expected = str(answer.get("content") or answer.get("tool_calls") or "")
            context.log("info", f"Sample after epoch {epoch}: {_short(sample)} (the row has: {_short(expected)})")
    model.train(was_training)


def _sample(base: Base, model: Any, chat: Chat, device: torch.device) -> str | None:
    """Returns an answer to a chat; None without room for it in the window."""
    text = render(base.tokenizer, chat.messages, prompt=True, tools=chat.tools)
    inputs = base.tokenizer(text, add_special_tokens=not base.instruct, return_tensors="pt").to(device)
    length = inputs["input_ids"].shape[1]
    if length + MAX_SAMPLE_TOKENS > base.context_tokens:
        return None
    ends = sorted(base.end_tokens) or None
    made = model.generate(**inputs, max_new_tokens=MAX_SAMPLE_TOKENS, do_sample=False, eos_token_id=ends)
    return str(base.tokenizer.decode(made[0, length:], skip_special_tokens=True))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_SHOWN_CHARACTERS else text[: MAX_SHOWN_CHARACTERS - 1] + "…"
