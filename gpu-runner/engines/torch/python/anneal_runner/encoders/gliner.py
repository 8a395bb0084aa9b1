"""GLiNER2 models, which read labels and their descriptions from the schema, and so need no training before."""

import json
from collections.abc import Sequence
from typing import Any

import torch
from gliner2 import AutoExtractor
from gliner2.inference.schema import Schema as GlinerSchema
from transformers import PreTrainedTokenizerFast

from ..bases import BaseFacts, refuse_load, where_weights_are
from ..errors import RunnerError
from .answers import Result, chosen, without_overlaps
from .base import DEFAULT_MAX_TOKENS, EncoderBase
from .findings import Hit
from .names import Warning
from .schema import ClassificationQuery, RelationQuery, Schema
from .texts import HALVES, EncodedText

MODEL_TYPE = "extractor"
MIN_TEXT_TOKENS = 32
"""Minimum tokens that a schema must leave for a text."""
_TAKEN = {"entities", "relation_extraction"}
"""Keys of the package's own results, which tasks share."""


def is_gliner(facts: BaseFacts) -> bool:
    """True for a folder of the `gliner2` package."""
    path = facts.directory / "config.json"
    try:
        return path.is_file() and json.loads(path.read_text("utf-8")).get("model_type") == MODEL_TYPE
    except ValueError:
        return False  # what reads the folder says what is wrong


def load_gliner(facts: BaseFacts, device: torch.device) -> EncoderBase:
    """
    Loads a GLiNER2 model, without running any code of its folder and without any network.

    Raises RunnerError: artifact when files are missing or damaged, unsupported when the model needs code of its own.
    """
    try:
        where_weights_are(facts.directory)
        for name in ("model.safetensors", "encoder_config/config.json", "tokenizer.json"):
            if not (facts.directory / name).is_file():
                raise RunnerError("artifact", f"The folder of the base model has no {name}")
        # The package would run code that any of these names.
        for path in facts.directory.rglob("*.json"):
            if "auto_map" in path.read_text("utf-8"):
                raise RunnerError(
                    "unsupported", f"The base model needs code of its own (`auto_map` in {path.name}), which is never run"
                )
        model = AutoExtractor.from_pretrained(str(facts.directory), map_location=str(device), attention_backend="standard")
    except Exception as error:  # safetensors and transformers raise many types
        refuse_load(facts, error)
    tokenizer = model.processor.tokenizer
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise RunnerError("unsupported", f"The base model {facts.id} has no tokenizer.json")
    positions = int(getattr(model.encoder.config, "max_position_embeddings", None) or DEFAULT_MAX_TOKENS)
    model.eval().requires_grad_(False)
    return EncoderBase(facts, model, tokenizer, positions)


class GlinerPlan:
    """A schema as the package takes it: in as few passes as the names allow."""

    def __init__(self, schema: Schema, base: EncoderBase) -> None:
        """Raises RunnerError (bad_request) when the schema leaves no room for a text."""
        self._schema = schema
        asked = ("entities", "classifications", "structures", "relations")
        self.heads = {head for head in asked if getattr(schema, head)}
        self.threshold = schema.threshold
        self.warnings: list[Warning] = [
            {
                "code": "unchecked_type",
                "message": f'The ends of "{query.name}" are not checked to be "{asked}": the model reads the relation alone.',
                "label": asked,
            }
            for query in schema.relations or []
            for asked in (query.head, query.tail)
            if asked is not None
        ]
        self._keys = {query.name: _described(query) for query in schema.relations or []}
        self.passes = _passes(schema)
        taken = max((_schema_tokens(base.model, made) for made, _ in self.passes), default=0)
        self.text_tokens = base.max_tokens - taken
        if self.text_tokens < MIN_TEXT_TOKENS:
            text = f"`schema` is too long for the model: it takes {taken} of {base.max_tokens} tokens"
            raise RunnerError("bad_request", text, "schema")

    def result(self, text: EncodedText, found: list[dict[str, Any]]) -> Result:
        """Returns the runner's `InferResult` from the answers of the passes."""
        schema, result = self._schema, dict[str, Any]()
        merged: dict[str, Any] = {}
        for kind_of, answer in zip((kinds for _, kinds in self.passes), found, strict=True):
            for kind, name in kind_of:
                merged[f"{kind} {name}"] = _part(kind, name, self._keys.get(name, name), answer, text.text)
        if schema.entities is not None:
            found_hits = [
                (query.name, hit) for query in schema.entities for hit in merged.get("entities entities", {}).get(query.name, [])
            ]
            kept = without_overlaps(found_hits) if schema.flat else found_hits
            result["entities"] = {
                query.name: [{"label": query.name, **hit.fields()} for name, hit in kept if name == query.name]
                for query in schema.entities
            }
        if schema.classifications is not None:
            result["classifications"] = {
                query.task: chosen(query, _chances(query, merged[f"classification {query.task}"]))
                for query in schema.classifications
            }
        if schema.structures is not None:
            result["structures"] = {query.name: merged[f"structure {query.name}"] for query in schema.structures}
        if schema.relations is not None:
            result["relations"] = {query.name: merged[f"relation {query.name}"] for query in schema.relations}
        return result | {"truncated": text.truncated}


def encode_for(plan: GlinerPlan, base: EncoderBase, text: str) -> EncodedText:
    """Returns a text as the package splits it, as far as it fits beside the schema."""
    readable = HALVES.sub("\ufffd", text)
    tokens: list[int] = []
    words: list[tuple[int, int]] = []
    tokenizer: Any = base.tokenizer
    for word, start, end in base.model.processor.word_splitter(readable, lower=True):
        own = tokenizer(word, add_special_tokens=False)["input_ids"]
        if len(tokens) + len(own) > plan.text_tokens:
            return EncodedText(readable[: words[-1][1] if words else 0], tokens, words, [], True)
        tokens += own
        words.append((start, end))
    return EncodedText(readable, tokens, words, [], False)


def _schema_tokens(model: Any, schema: GlinerSchema) -> int:
    """Returns how many tokens a schema takes beside a text."""
    processor = model.processor
    processor.change_mode(is_training=False)
    batch = processor.collate_fn_inference([("x", schema.build())], architecture=model.architecture)
    return int(batch.input_ids.shape[1]) - 1


def answer(model: Any, batch: Sequence[tuple[GlinerPlan, EncodedText]]) -> list[Result]:
    """Returns the results of texts, each with its own plan."""
    # The package takes no empty text.
    asked = [(index, schema, text.text) for index, (plan, text) in enumerate(batch) for schema, _ in plan.passes if text.words]
    found: list[list[dict[str, Any]]] = [[] for _ in batch]
    if asked:
        answers = model.batch_extract(
            [text for *_, text in asked],
            [schema for _, schema, _ in asked],
            batch_size=len(asked),
            threshold=min(plan.threshold for plan, _ in batch),
            include_confidence=True,
            include_spans=True,
            overlap_policy="allow",
        )
        for (index, *_), each in zip(asked, answers, strict=True):
            found[index].append(each)
    return [plan.result(text, own or [{} for _ in plan.passes]) for (plan, text), own in zip(batch, found, strict=True)]


def _passes(schema: Schema) -> list[tuple[GlinerSchema, list[tuple[str, str]]]]:
    """Returns schemas of the package with what each asks for. Results are keyed by name: equal names need passes of their own."""
    passes: list[tuple[GlinerSchema, list[tuple[str, str]]]] = []

    def place(kind: str, name: str) -> GlinerSchema:
        for made, asked in passes:
            if kind == "entities" or (name not in _TAKEN and all(name != other for _, other in asked)):
                asked.append((kind, name))
                return made
        passes.append((GlinerSchema(), [(kind, name)]))
        return passes[-1][0]

    if schema.entities:
        own: dict[str, Any] = {query.name: _config(query.description, query.threshold) for query in schema.entities}
        place("entities", "entities").entities(own)
    for query in schema.classifications or []:
        labels = {label: query.descriptions.get(label, "") for label in query.labels} if query.descriptions else query.labels
        activation = "sigmoid" if query.multi_label else "softmax"
        # As if several were asked for, from 0 on: the package then tells the probability of each.
        place("classification", query.task).classification(
            query.task, labels, multi_label=True, cls_threshold=0.0, class_act=activation
        )
    for query in schema.structures or []:
        made = place("structure", query.name)
        builder = made.structure(query.name)
        for part in query.fields:
            dtype = "list" if part.is_list else "str"
            builder.field(part.name, dtype=dtype, choices=part.choices, description=part.description, threshold=part.threshold)
        builder._auto_finish()
    for query in schema.relations or []:
        made = place("relation", query.name)
        made.relations({query.name: _config(query.description, query.threshold)})
        # A span model's results have a described relation under its name and description, and so its threshold is read from there.
        made._relation_metadata[_described(query)] = {"threshold": query.threshold}
    return passes


def _config(description: str | None, threshold: float) -> dict[str, Any]:
    return {"threshold": threshold} | ({"description": description} if description else {})


def _described(query: RelationQuery) -> str:
    return f"{query.name}: {query.description}" if query.description else query.name


def _part(kind: str, name: str, key: str, answer: dict[str, Any], text: str) -> Any:
    if kind == "entities":
        return {
            label: [hit for each in hits if (hit := _hit(each, text))] for label, hits in (answer.get("entities") or {}).items()
        }
    if kind == "classification":
        return answer.get(name) or []
    if kind == "relation":
        relations = answer.get("relation_extraction") or {}
        pairs = relations.get(key) or relations.get(name) or []
        ends = [(_hit(pair["head"], text), _hit(pair["tail"], text)) for pair in pairs]
        return [{"head": head.fields(), "tail": tail.fields()} for head, tail in ends if head and tail]
    found = answer.get(name) or []
    records = [_record(record, text) for record in ([found] if isinstance(found, dict) else found)]
    return [record for record in records if record]


def _record(record: dict[str, Any], text: str) -> dict[str, list[dict[str, Any]]]:
    values = {part: value if isinstance(value, list) else [value] for part, value in record.items()}
    return {part: own for part, each in values.items() if (own := [shown for value in each if (shown := _value(value, text))])}


def _value(value: dict[str, Any] | None, text: str) -> dict[str, Any] | None:
    """Returns a value of a record; a choice has no place in the text."""
    if not value or "start" not in value:
        return value
    hit = _hit(value, text)
    return hit and hit.fields()


def _hit(value: dict[str, Any] | None, text: str) -> Hit | None:
    """Returns a span as far as it is of the text: the package adds a full stop to one that ends without, and finds that too."""
    if not value or value["start"] >= len(text):
        return None
    end = min(value["end"], len(text))
    return Hit(value["start"], end, text[value["start"] : end], value["confidence"])


def _chances(query: ClassificationQuery, found: list[dict[str, Any]]) -> list[float]:
    """Returns the probability of each label; of a text that cannot be read, all the same."""
    known = {each["label"]: each["confidence"] for each in found}
    alike = 0.0 if query.multi_label else 1 / max(1, len(query.labels))
    return [known.get(label, alike) for label in query.labels]
