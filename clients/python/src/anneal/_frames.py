from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

    from .records import Explanation

JSON_COLUMNS = ("input", "output", "human_corrected_output", "imported", "dropped_fields", "truncated_fields")
TIME_COLUMNS = ("created_at", "human_feedback_at")


@dataclass(frozen=True)
class Answer:
    """What a model says about one text."""

    text: str
    result: dict[str, Any]
    """Heads and what they found. Offsets count code points, as Python does."""
    inference_id: str | None
    """Of the recorded call, for corrections; None if it was not stored. A batch is one call."""
    explanation: Explanation | None = None


def row_of(answer: Answer) -> dict[str, Any]:
    """Return an answer as a flat row. Nested objects become columns with dots, as `pandas.json_normalize` names them."""
    row: dict[str, Any] = {"text": answer.text}
    for name, value in _flat(answer.result):
        row[f"result.{name}" if name in ("text", "inference_id") else name] = value
    if answer.explanation:
        row["explanation"] = answer.explanation.model_dump()
    return {**row, "inference_id": answer.inference_id}


def frame_of(answers: Sequence[Answer], texts: Iterable[str]) -> Any:
    """Return a DataFrame with a row for each answer and the index of the texts; without pandas a list of dicts."""
    rows = [row_of(answer) for answer in answers]
    if importlib.util.find_spec("pandas") is None:
        return rows
    import pandas

    return pandas.DataFrame(rows, index=texts.index if isinstance(texts, pandas.Series) else None)


def calls_frame(parquet: IO[bytes]) -> pandas.DataFrame:
    """Read exported calls: contents as Python objects, times as timestamps."""
    calls = _parquet().read_table(parquet).to_pandas()
    import pandas

    for name in JSON_COLUMNS:
        calls[name] = [None if pandas.isna(value) else json.loads(value) for value in calls[name]]
    for name in TIME_COLUMNS:
        calls[name] = pandas.to_datetime(calls[name], format="ISO8601", utc=True)
    return calls


def need_pandas() -> None:
    """Raise ImportError with the mend where pandas or pyarrow is missing."""
    _parquet()


def _parquet() -> Any:
    try:
        import pandas  # noqa: F401
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError('`to_pandas` needs pandas and pyarrow: pip install "anneal-client[pandas]"') from error
    return pyarrow.parquet


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for name, each in value.items():
        if isinstance(each, Mapping) and each:
            yield from _flat(each, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", each
