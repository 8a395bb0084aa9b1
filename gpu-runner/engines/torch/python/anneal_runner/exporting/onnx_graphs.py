"""A trained encoder as ONNX graphs, with a program that reads texts by them."""

import json
import shutil
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from torch import nn
from torch.export import Dim

from ..encoders.base import EncoderBase
from ..encoders.heads import Heads
from ..encoders.model import vectors_of
from ..errors import RunnerError

OPSET = 18
GRAPH = "model.onnx"
PAIRS = "relations.onnx"
ABOUT = "model.json"
PROGRAM = "run.py"
TOLERANCE = 1e-3
"""Maximum difference of a graph's outputs from torch's, which are of the size of 1 to 10."""
Named = dict[str, torch.Tensor]


def write_onnx(base: EncoderBase, heads: Heads, directory: Path, on_progress: Callable[[float], None]) -> None:
    """
    Writes the graph of the encoder with its heads, that of the relations, what they mean, the tokenizer and the program.

    Raises RunnerError (unsupported) for an encoder that torch cannot write as a graph, or whose graph answers otherwise than torch.
    """
    name = base.model.config.model_type
    _write(_Encoder(base.model, heads), directory / GRAPH, _Encoder.AXES, [_texts(base, *size) for size in _SIZES], name)
    on_progress(0.8)
    if heads.layout.relations:
        examples = [_pairs(base.width, *size) for size in _PAIR_SIZES]
        _write(_Pairs(heads), directory / PAIRS, _Pairs.AXES, examples, name)
    on_progress(0.9)
    tokenizer: Any = base.tokenizer.backend_tokenizer
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.save(str(directory / "tokenizer.json"))
    (directory / ABOUT).write_text(json.dumps(_about(base, heads), ensure_ascii=False, indent=2) + "\n", "utf-8")
    shutil.copyfile(Path(__file__).with_name("run_onnx.py"), directory / PROGRAM)


def _about(base: EncoderBase, heads: Heads) -> dict[str, Any]:
    transitions = heads.chains.double_on_cpu().scores().tolist() if heads.layout.tags else []
    return heads.layout.stored() | {
        "tags": [list(tag) for tag in heads.layout.tags],
        "transitions": transitions,
        "max_tokens": base.max_tokens,
        "pad_token": base.tokenizer.pad_token_id or 0,
    }


class _Encoder(nn.Module):
    AXES = {
        "input_ids": {0: "texts", 1: "tokens"},
        "attention_mask": {0: "texts", 1: "tokens"},
        "first_tokens": {0: "texts", 1: "words"},
    }

    def __init__(self, backbone: nn.Module, heads: Heads) -> None:
        super().__init__()
        self._backbone = backbone
        self._heads = heads
        layout = heads.layout
        named = {"tag_scores": layout.tags, "class_scores": layout.classes, "word_vectors": layout.relations}
        self.outputs = [name for name, learned in named.items() if learned]

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, first_tokens: torch.Tensor) -> list[torch.Tensor]:
        words, texts = vectors_of(self._backbone, input_ids, attention_mask, first_tokens)
        found = {
            "tag_scores": lambda: self._heads.emissions(words),
            "class_scores": lambda: self._heads.class_scores(texts),
            "word_vectors": lambda: words,
        }
        return [found[name]() for name in self.outputs]


class _Pairs(nn.Module):
    AXES = {"word_vectors": {0: "words"}, "heads": {0: "pairs"}, "tails": {0: "pairs"}}
    outputs = ["relation_scores"]

    def __init__(self, heads: Heads) -> None:
        super().__init__()
        self._scorer = heads.pairs

    def forward(self, word_vectors: torch.Tensor, heads: torch.Tensor, tails: torch.Tensor) -> list[torch.Tensor]:
        return [self._scorer.scores(word_vectors, heads, tails)]


def _write(module: Any, path: Path, axes: dict[str, dict[int, str]], examples: Sequence[Named], architecture: str) -> None:
    """Traces a module on the first example, and compares its graph with torch on all of them."""
    module.eval()
    dims = {name: Dim(name) for names in axes.values() for name in names.values()}
    shapes = {name: {axis: dims[dim] for axis, dim in own.items()} for name, own in axes.items()}
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            program: Any = torch.onnx.export(
                module,
                kwargs=examples[0],
                input_names=list(axes),
                output_names=module.outputs,
                dynamic_shapes=shapes,
                opset_version=OPSET,
                dynamo=True,
                verbose=False,
            )
            _forget_sources(program.model)
            program.save(path)
            session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    except RuntimeError as error:  # the exporter's own errors are of this type too
        raise _refused(architecture, "torch cannot trace it") from error
    for example in examples:
        with torch.no_grad():
            expected = module(**example)
        found = session.run(module.outputs, {name: tensor.numpy() for name, tensor in example.items()})
        for wanted, got in zip(expected, found, strict=True):
            if not np.allclose(got, wanted.numpy(), rtol=TOLERANCE, atol=TOLERANCE):  # type: ignore[arg-type]
                raise _refused(architecture, "its graph answers otherwise than the model")


def _refused(architecture: str, why: str) -> RunnerError:
    return RunnerError("unsupported", f"Encoders of architecture {architecture} are not written as ONNX: {why}")


def _forget_sources(model: Any) -> None:
    """Removes the lines of this machine's files that the exporter notes beside each node."""
    for graph in [model.graph, *(function.graph for function in model.functions.values())]:
        for node in graph.all_nodes():
            node.metadata_props.clear()
            for value in node.outputs:
                value.metadata_props.clear()
    model.metadata_props.clear()


_SIZES = ((2, 9, 4), (1, 3, 1), (3, 33, 20))
"""Texts, tokens and words of the examples."""
_PAIR_SIZES = ((7, 5), (1, 1), (30, 40))
"""Words and pairs of the examples."""


def _texts(base: EncoderBase, texts: int, tokens: int, words: int) -> Named:
    """Returns random texts, of which the last is padded."""
    generator = torch.Generator().manual_seed(tokens)
    count = min(tokens, base.max_tokens)
    ids = torch.randint(0, len(base.tokenizer), (texts, count), generator=generator)
    attention = torch.ones_like(ids)
    if texts > 1:
        pad: int = base.tokenizer.pad_token_id or 0  # type: ignore[assignment]
        attention[-1, count // 2 :] = 0
        ids[-1, count // 2 :] = pad
    return {
        "input_ids": ids,
        "attention_mask": attention,
        "first_tokens": torch.randint(0, max(1, count // 2), (texts, words), generator=generator),
    }


def _pairs(width: int, words: int, pairs: int) -> Named:
    generator = torch.Generator().manual_seed(words)
    heads, tails = (torch.randint(0, words, (pairs, 2), generator=generator).sort(1).values for _ in range(2))
    return {"word_vectors": torch.randn(words, width, generator=generator), "heads": heads, "tails": tails}
