"""Generation, through the server that answers the runner's messages."""

import statistics
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from ..bases import BaseFacts
from ..generation.server import GenerationServer
from ..heartbeat import Heartbeat
from .device import forget_peak, peak_bytes, synchronize
from .recorder import Recorder

STEP_SECONDS = 600.0


@dataclass(frozen=True)
class GenerationFigures:
    adapters: int
    temperature: float
    """0: greedy."""
    top_p: float
    requests: int
    """Number of requests, all sent at once; adapters take turns among them."""
    input_tokens: int
    output_tokens: int
    """Tokens of all requests, as `input_tokens` has them."""
    seconds: float
    tokens_per_second: float
    """Output tokens a second, the reading of prompts included."""
    first_token_seconds: float
    """Seconds to the first token of a request that is alone, after the first request of its model."""
    first_token_seconds_together: float
    """Median seconds to the first token, over the requests that were sent at once."""
    load_seconds: float
    """Mean seconds to load an adapter; the base was in memory."""
    flops_per_second: float
    peak_bytes: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class ServedModels:
    """A base and adapters on it, loaded by messages as the runner sends them."""

    def __init__(self, facts: BaseFacts, device: torch.device) -> None:
        self._recorder = Recorder()
        self._server = GenerationServer(self._recorder.channel, Heartbeat(self._recorder.channel, STEP_SECONDS), device)
        self._recorder.acknowledge = self._acknowledge
        self._device = device
        self._facts = {"id": facts.id, "sha256": facts.sha256, "directory": str(facts.directory)}
        self._requests = 0
        self._adapters: list[str] = []
        # The base stays while adapters come and go.
        self._load("base", None)

    def generate(
        self, adapters: list[Path], prompts: list[str], answer_tokens: int, temperature: float, top_p: float
    ) -> GenerationFigures:
        """Measures prompts that are sent at once, the adapters taking turns among them."""
        self._unload_adapters()
        forget_peak(self._device)
        started = time.perf_counter()
        for folder in adapters:
            self._load(folder.name, str(folder))
        names = self._adapters = [folder.name for folder in adapters]
        load_seconds = time.perf_counter() - started
        sampling = {"maxTokens": answer_tokens, "temperature": temperature, "topP": top_p}
        self._run(prompts[:1], names[:1], sampling)
        with FlopCounterMode(display=False) as counter:
            self._run(prompts[:1], names[:1], sampling)
        alone = self._run(prompts[:1], names[:1], sampling)
        together = self._run(prompts, names, sampling)
        made = sum(usage["outputTokens"] for usage in together.usages)
        return GenerationFigures(
            adapters=len(adapters),
            temperature=temperature,
            top_p=top_p,
            requests=len(prompts),
            input_tokens=sum(usage["inputTokens"] for usage in together.usages),
            output_tokens=made,
            seconds=together.seconds,
            tokens_per_second=made / together.seconds,
            first_token_seconds=alone.first_tokens[0],
            first_token_seconds_together=statistics.median(together.first_tokens),
            load_seconds=load_seconds / len(adapters),
            flops_per_second=counter.get_total_flops() * len(prompts) / together.seconds,
            peak_bytes=peak_bytes(self._device),
        )

    def _run(self, prompts: list[str], models: list[str], sampling: dict[str, Any]) -> "_Run":
        self._recorder.frames.clear()
        synchronize(self._device)
        started = time.perf_counter()
        for index, prompt in enumerate(prompts):
            self._requests += 1
            message = {"type": "generate", "id": str(self._requests), "model": models[index % len(models)]}
            # A seed for each: the same tokens in each run.
            message |= {"prompt": prompt, "seed": index, **sampling}
            self._server.register(message)
            self._server.generate(message)
        while self._server.is_busy:
            self._server.step()
        return _Run(self._recorder, started, time.perf_counter() - started)

    def _load(self, name: str, adapter: str | None) -> None:
        self._server.load({"type": "load", "model": name, "base": self._facts, "adapter": adapter})

    def _unload_adapters(self) -> None:
        for name in self._adapters:
            self._server.unload({"type": "unload", "model": name})
        self._adapters = []

    def _acknowledge(self, message: dict[str, Any]) -> None:
        if message["type"] == "token":
            self._server.acknowledge(message["id"], message["seq"])


class _Run:
    def __init__(self, recorder: Recorder, started: float, seconds: float) -> None:
        firsts: dict[str, float] = {}
        for at, message in recorder.frames:
            if message["type"] == "token":
                firsts.setdefault(message["id"], at - started)
        self.seconds = seconds
        self.first_tokens = list(firsts.values())
        self.usages = [message["usage"] for _, message in recorder.frames if message["type"] == "done"]
