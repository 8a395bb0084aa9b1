"""The frame of every baseline: rows as JSON lines on standard input, one JSON line of predictions and figures on standard output."""

import json
import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

WARM_UP_TEXTS = 100


def run(learn):
    """Trains, predicts and reports.

    `learn(train, validation)` returns a model with `predict(texts)`, a list of predictions (`labels` or `entities`, and their
    `confidences` where the model has any), and `save(folder)`. Offsets are in code points here and in UTF-16 code units outside.
    """
    rows = {"train": [], "validation": [], "test": []}
    for line in sys.stdin:
        row = json.loads(line)
        if "entities" in row:
            row["entities"] = [in_code_points(row["text"], span) for span in row["entities"]]
        rows[row["part"]].append(row)
    texts = [row["text"] for row in rows["test"]]

    start = time.process_time()
    model = learn(rows["train"], rows["validation"])
    train_cpu_seconds = time.process_time() - start

    model.predict(texts[:WARM_UP_TEXTS])
    start = time.process_time()
    predictions = model.predict(texts)
    predict_cpu_seconds = time.process_time() - start

    with TemporaryDirectory() as folder:
        model.save(Path(folder))
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    for text, prediction in zip(texts, predictions):
        if "entities" in prediction:
            prediction["entities"] = [in_utf16(text, span) for span in prediction["entities"]]
    print(
        json.dumps(
            {
                "predictions": predictions,
                "train_cpu_seconds": train_cpu_seconds,
                "cpu_ms_a_text": 1000 * predict_cpu_seconds / len(texts),
                # Linux counts in KiB, macOS in bytes.
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e6 / 1024),
                "model_mb": size / 1e6,
            }
        )
    )


def in_code_points(text, span):
    units = text.encode("utf-16-le")
    return {**span, **{end: len(units[: 2 * span[end]].decode("utf-16-le")) for end in ("start", "end")}}


def in_utf16(text, span):
    return {**span, **{end: len(text[: span[end]].encode("utf-16-le")) // 2 for end in ("start", "end")}}


def entity_f1(gold_rows, predictions):
    """Returns the micro-F1 of exact spans and labels, for choices on validation rows."""
    key = lambda span: (span["start"], span["end"], span["label"])
    right = found = gold = 0
    for row, prediction in zip(gold_rows, predictions):
        expected, answered = (set(map(key, each["entities"])) for each in (row, prediction))
        right, found, gold = right + len(expected & answered), found + len(answered), gold + len(expected)
    return 2 * right / (found + gold) if found + gold else 1.0


def accuracy(gold_rows, predictions):
    return sum(row["labels"] == guess["labels"] for row, guess in zip(gold_rows, predictions)) / len(gold_rows)
