"""
Reads texts with an encoder that Anneal exported as ONNX, and prints what it finds as JSON lines.

    pip install onnxruntime tokenizers numpy
    python run.py "A text." "Another one."

It needs nothing else than the files beside it. As a module: `Encoder(folder)(["A text."])`.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from tokenizers import Regex, Tokenizer, pre_tokenizers

WORDS = pre_tokenizers.Split(
    # Scripts without spaces between words: each character is a word.
    Regex(
        r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*"
        r"|\p{L}[\p{L}\p{M}]*|\p{N}+|\S"
    ),
    behavior="removed",
    invert=True,
)
OUTSIDE, BEGIN, INSIDE = 0, 1, 2
NEVER = -1e4
MIN_CONFIDENCE = 1e-4
MAX_PAIRS = 4096


class Encoder:
    def __init__(self, folder: str | Path) -> None:
        folder = Path(folder)
        about = json.loads((folder / "model.json").read_text("utf-8"))
        self.entities: list[str] | None = about["entities"]
        self.classes: list[str] | None = about["classes"]
        self.multi_label: bool = about["multi_label"]
        self.structures: dict[str, dict[str, bool]] | None = about["structures"]
        self.relations: list[str] | None = about["relations"]
        self.tags = [tuple(tag) for tag in about["tags"]]
        self.transitions = np.array(about["transitions"], dtype=np.float64)
        self.max_tokens: int = about["max_tokens"]
        self.pad: int = about["pad_token"]
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(self.max_tokens)
        self.graph: Any = onnxruntime.InferenceSession(folder / "model.onnx")
        self.pairs: Any = onnxruntime.InferenceSession(folder / "relations.onnx") if self.relations else None

    def __call__(self, texts: list[str], threshold: float = 0.5, batch: int = 16) -> list[dict[str, Any]]:
        """Returns the findings of each text. Offsets are code points, end exclusive."""
        return [
            result
            for start in range(0, len(texts), batch)
            for result in self._read([self._encoded(text) for text in texts[start : start + batch]], threshold)
        ]

    def _encoded(self, text: str) -> dict[str, Any]:
        """Returns a text's tokens, its words, and the first token of each word."""
        # Halves of surrogate pairs are no characters.
        readable = re.sub("[\ud800-\udfff]", "\ufffd", text)
        encoding = self.tokenizer.encode(readable)
        words, first, at = [], [], 0
        for _, (start, end) in WORDS.pre_tokenize_str(readable):
            while at < len(encoding.offsets) and encoding.offsets[at][1] <= start:
                at += 1
            if at == len(encoding.offsets):
                break
            if encoding.offsets[at][0] < end:
                words.append((start, end))
                first.append(at)
        return {"text": text, "tokens": encoding.ids, "words": words, "first": first, "truncated": bool(encoding.overflowing)}

    def _read(self, texts: list[dict[str, Any]], threshold: float) -> list[dict[str, Any]]:
        width = max(len(text["tokens"]) for text in texts)
        longest = max(1, *(len(text["words"]) for text in texts))
        tokens = np.full((len(texts), width), self.pad, dtype=np.int64)
        attention = np.zeros((len(texts), width), dtype=np.int64)
        first = np.zeros((len(texts), longest), dtype=np.int64)
        for row, text in enumerate(texts):
            tokens[row, : len(text["tokens"])] = text["tokens"]
            attention[row, : len(text["tokens"])] = 1
            first[row, : len(text["words"])] = text["first"]
        names = [output.name for output in self.graph.get_outputs()]
        inputs = {"input_ids": tokens, "attention_mask": attention, "first_tokens": first}
        outputs = dict(zip(names, self.graph.run(names, inputs), strict=True))
        return [
            self._result(text, {name: output[row] for name, output in outputs.items()}, threshold) for row, text in enumerate(texts)
        ]

    def _result(self, text: dict[str, Any], outputs: dict[str, Any], threshold: float) -> dict[str, Any]:
        count = len(text["words"])
        spans: dict[tuple[str, ...], list[tuple[int, int, float]]] = {tag: [] for tag in self.tags}
        if count and self.tags:
            scores = outputs["tag_scores"][:count].astype(np.float64)
            spans = {tag: find_spans(scores[:, at], self.transitions[at], threshold) for at, tag in enumerate(self.tags)}

        def hit(span: tuple[int, int, float]) -> dict[str, Any]:
            start, end = text["words"][span[0]][0], text["words"][span[1]][1]
            return {"text": text["text"][start:end], "start": start, "end": end, "confidence": span[2]}

        result: dict[str, Any] = {"truncated": text["truncated"]}
        if self.entities is not None:
            result["entities"] = self._entities({label: spans[("entity", label)] for label in self.entities}, hit)
        if self.classes:
            result["classification"] = self._classes(outputs["class_scores"].astype(np.float64), threshold)
        if self.structures is not None:
            result["structures"] = {
                name: _records([(part, hit(span)) for part in parts for span in spans[("field", name, part)]], parts)
                for name, parts in self.structures.items()
            }
        if self.relations is not None:
            words = outputs["word_vectors"][:count] if self.relations else None
            result["relations"] = {
                name: self._related(words, at, spans[("head", name)], spans[("tail", name)], hit, threshold)
                for at, name in enumerate(self.relations)
            }
        return result

    def _entities(self, found: dict[str, Any], hit: Any) -> dict[str, list[dict[str, Any]]]:
        """Returns entities; of those that overlap, the likelier one."""
        kept: list[tuple[str, dict[str, Any]]] = []
        every = [(label, hit(span)) for label, spans in found.items() for span in spans]
        for label, one in sorted(every, key=lambda each: -each[1]["confidence"]):
            if not any(one["start"] < other["end"] and other["start"] < one["end"] for _, other in kept):
                kept.append((label, one))
        kept.sort(key=lambda each: each[1]["start"])
        return {label: [one for own, one in kept if own == label] for label in found}

    def _classes(self, scores: Any, threshold: float) -> Any:
        classes = self.classes or []
        if self.multi_label:
            chances = 1 / (1 + np.exp(-scores))
            order = [at for at in np.argsort(-chances, kind="stable") if chances[at] >= threshold]
            return [{"label": classes[at], "confidence": float(chances[at])} for at in order]
        chances = np.exp(scores - _log_sum(scores, 0))
        best = int(chances.argmax())
        return {"label": classes[best], "confidence": float(chances[best])}

    def _related(self, words: Any, at: int, heads: Any, tails: Any, hit: Any, threshold: float) -> list[dict[str, Any]]:
        pairs = [(head, tail) for head in heads for tail in tails if head[:2] != tail[:2]]
        pairs = sorted(pairs, key=lambda pair: -min(pair[0][2], pair[1][2]))[:MAX_PAIRS]
        if not pairs:
            return []
        ends = [np.array([pair[end][:2] for pair in pairs], dtype=np.int64) for end in (0, 1)]
        (scores,) = self.pairs.run(["relation_scores"], {"word_vectors": words, "heads": ends[0], "tails": ends[1]})
        found = []
        for (head, tail), score in zip(pairs, scores[:, at].astype(np.float64), strict=True):
            confidence = float(1 / (1 + np.exp(-score))) * min(head[2], tail[2])
            if confidence >= threshold:
                found.append({"head": hit(head) | {"confidence": confidence}, "tail": hit(tail) | {"confidence": confidence}})
        return sorted(found, key=lambda each: (each["head"]["start"], each["tail"]["start"]))


def find_spans(scores: Any, transitions: Any, threshold: float) -> list[tuple[int, int, float]]:
    """
    Returns the spans of one kind, as first and last word and probability, without overlaps (the likelier first), in text order.

    `scores` are those of the states outside, begin and inside of each word [words, 3], in nats; `transitions` those from one state
    to the next [3, 3]. A span's probability is that of just these words being one, by the forward and backward passes of the chain.
    """
    count = len(scores)
    forward, backward = np.zeros((count, 3)), np.zeros((count, 3))
    forward[0] = scores[0] + [0, 0, NEVER]
    for at in range(1, count):
        forward[at] = _log_sum(forward[at - 1][:, None] + transitions, 0) + scores[at]
    for at in range(count - 2, -1, -1):
        backward[at] = _log_sum(transitions + scores[at + 1] + backward[at + 1], 1)
    total = _log_sum(forward[-1], 0)
    found, taken = [], np.zeros(count, dtype=bool)
    threshold = max(threshold, MIN_CONFIDENCE)
    for first in range(count):
        path = forward[first, BEGIN]
        if np.exp(path + backward[first, BEGIN] - total) < threshold:
            continue
        for last in range(first, count):
            state = BEGIN if last == first else INSIDE
            if last > first:
                path += transitions[BEGIN if last == first + 1 else INSIDE, INSIDE] + scores[last, INSIDE]
            # A span ends where the text does, or where the next word is outside or begins another.
            after = 0.0
            if last + 1 < count:
                after = _log_sum(transitions[state, :INSIDE] + (scores + backward)[last + 1, :INSIDE], 0)
            confidence = min(1.0, float(np.exp(path + after - total)))
            if confidence >= threshold:
                found.append((first, last, confidence))
    kept = []
    for first, last, confidence in sorted(found, key=lambda span: (-span[2], span[0], span[1])):
        if not taken[first : last + 1].any():
            taken[first : last + 1] = True
            kept.append((first, last, confidence))
    return sorted(kept)


def _records(values: list[tuple[str, dict[str, Any]]], parts: dict[str, bool]) -> list[dict[str, Any]]:
    """Returns records: in text order, a new one begins where a field other than a list comes again."""
    records: list[dict[str, Any]] = []
    filled: set[str] = set()
    for part, value in sorted(values, key=lambda each: each[1]["start"]):
        if not records or part in filled:
            records.append({})
            filled = set()
        if parts[part]:
            records[-1].setdefault(part, []).append(value)
        else:
            records[-1][part] = value
            filled.add(part)
    return records


def _log_sum(values: Any, axis: int) -> Any:
    top = values.max(axis=axis, keepdims=True)
    return np.log(np.exp(values - top).sum(axis=axis)) + top.squeeze(axis)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for found in Encoder(Path(__file__).parent)(sys.argv[1:]):
        print(json.dumps(found, ensure_ascii=False))
