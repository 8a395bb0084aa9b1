from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import pandas

Rows: TypeAlias = "str | os.PathLike[str] | pandas.DataFrame | Iterable[Mapping[str, Any]]"
"""A file of any format that Anneal reads, a DataFrame, or rows as dicts."""


@contextmanager
def opened(rows: Rows) -> Iterator[tuple[IO[bytes], str]]:
    """Open rows as a file, with its name: the file itself, or JSON lines in a temporary one."""
    if isinstance(rows, (str, os.PathLike)):
        path = Path(rows)
        with path.open("rb") as file:
            yield file, path.name
    else:
        with tempfile.TemporaryFile() as file:
            _write_json_lines(rows, file)
            file.seek(0)
            yield file, "rows.jsonl"


def size_of(file: IO[bytes]) -> int:
    """Return the number of bytes in an open file."""
    return os.fstat(file.fileno()).st_size


def _write_json_lines(rows: pandas.DataFrame | Iterable[Mapping[str, Any]], file: IO[bytes]) -> None:
    if hasattr(rows, "to_json"):
        # Missing values become null, which says nothing about a row. The default of 10 digits would round numbers.
        rows.to_json(file, orient="records", lines=True, force_ascii=False, date_format="iso", double_precision=15)
        return
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise TypeError(f"`rows` must be a path, a DataFrame or dicts (row {number} is {type(row).__name__})")
        try:
            file.write(json.dumps(dict(row), ensure_ascii=False, allow_nan=False).encode() + b"\n")
        except (TypeError, ValueError) as error:
            raise ValueError(f"row {number} is no JSON: {error}") from error
