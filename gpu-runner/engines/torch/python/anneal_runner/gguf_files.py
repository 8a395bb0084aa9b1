"""GGUF files, read once."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import gguf
import numpy as np


class _Reader(gguf.GGUFReader):
    """A reader whose bytes are a plain array: views of a mapped one cost four times as much, and a vocabulary has thousands."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, np.asarray(value) if name == "data" else value)


@contextmanager
def reads_once() -> Iterator[None]:
    """
    Has transformers read a GGUF file once while it makes a configuration, a tokenizer and a model of it.

    By itself it reads the whole vocabulary for each of them, and makes the table of tensor names for each layer: 15 s of CPU
    instead of 3 for a model of 135 M parameters. Files in other formats are read as ever.
    """
    before = gguf.GGUFReader, gguf.get_tensor_name_map
    gguf.GGUFReader, gguf.get_tensor_name_map = cache(_Reader), cache(gguf.get_tensor_name_map)  # type: ignore[misc, assignment]
    try:
        yield
    finally:
        gguf.GGUFReader, gguf.get_tensor_name_map = before  # type: ignore[misc]
