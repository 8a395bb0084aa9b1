"""Answers to a schema, from what a model with trained heads finds."""

from collections.abc import Callable
from typing import Any

from ..errors import RunnerError
from .findings import Findings, Hit
from .layout import Layout
from .names import Choices, Warning, matcher_of, unlearned
from .records import Value, group_records
from .schema import ClassificationQuery, EntityQuery, FieldQuery, RelationQuery, Schema, StructureQuery

Result = dict[str, Any]


class Plan:
    """A schema with what answers each part. A name that the model did not learn is a warning and empty, never a guess."""

    def __init__(self, schema: Schema, layout: Layout) -> None:
        """Raises RunnerError (unsupported, the field names the head) for a head that the model lacks."""
        self.warnings: list[Warning] = []
        self.heads: set[str] = set()
        """Heads for which the schema names something that they learned."""
        self._parts: list[tuple[str, Callable[[Findings], Any]]] = []
        asked: list[tuple[str, Any, Any, Callable[[Any, Layout], Callable[[Findings], Any]]]] = [
            ("entities", schema.entities, layout.entities, lambda queries, own: self._entities(queries, own, schema.flat)),
            ("classifications", schema.classifications, layout.classes, self._classifications),
            (
                "structures",
                schema.structures,
                layout.structures,
                lambda queries, own: self._structures(queries, own, schema.threshold),
            ),
            ("relations", schema.relations, layout.relations, self._relations),
        ]
        for head, queries, learned, plan in asked:
            if queries is None:
                continue
            if learned is None:
                raise RunnerError("unsupported", f"The model was not trained for {head}: train it on rows that have them", head)
            self._parts.append((head, plan(queries, layout)))
        self._warn_descriptions(schema)

    def answer(self, findings: Findings) -> Result:
        """Returns the runner's `InferResult`, offsets in code points."""
        return {head: answer(findings) for head, answer in self._parts} | {"truncated": findings.text.truncated}

    def _entities(self, queries: list[EntityQuery], layout: Layout, flat: bool) -> Callable[[Findings], Any]:
        matching = matcher_of(layout.entities or [])
        distinct = list({query.name: query for query in reversed(queries)}.values())[::-1]
        labels = [(query, matching(query.name)) for query in distinct]
        self.warnings += [
            {
                "code": "unresolved_label",
                "message": f'The model knows no entity type for "{query.name}". Train a model with examples of it.',
                "label": query.name,
            }
            for query, label in labels
            if label is None
        ]

        if any(label is not None for _, label in labels):
            self.heads.add("entities")

        def answer(findings: Findings) -> Any:
            found = {label: findings.hits(("entity", label), _lowest(labels, label)) for _, label in labels if label is not None}
            every = [(label, hit) for label, hits in found.items() for hit in hits]
            kept = without_overlaps(every) if flat else every
            return {
                query.name: [
                    {"label": query.name, **hit.fields()} for own, hit in kept if own == label and hit.confidence >= query.threshold
                ]
                for query, label in labels
            }

        return answer

    def _classifications(self, queries: list[ClassificationQuery], layout: Layout) -> Callable[[Findings], Any]:
        classes = layout.classes or []
        matching = matcher_of(classes)
        indices = {}
        for query in queries:
            known = [matching(label) for label in query.labels]
            unknown = [label for label, own in zip(query.labels, known, strict=True) if own is None]
            if unknown:
                shown = ", ".join(f'"{label}"' for label in unknown[:3])
                raise RunnerError(
                    "unsupported", f'"{query.task}" asks for labels that the model did not learn: {shown}', "classifications"
                )
            indices[query.task] = [classes.index(label) for label in known if label is not None]
            self.heads.add("classifications")

        def answer(findings: Findings) -> Any:
            return {
                query.task: chosen(query, findings.class_probabilities(indices[query.task], query.multi_label)) for query in queries
            }

        return answer

    def _structures(self, queries: list[StructureQuery], layout: Layout, threshold: float) -> Callable[[Findings], Any]:
        shapes = layout.structures or {}
        matching = matcher_of(list(shapes))
        planned: list[tuple[str, str, dict[str, list[tuple[FieldQuery, Choices | None]]]]] = []
        for query in queries:
            name = matching(query.name)
            if name is None:
                self.warnings.append(unlearned("structure", query.name))
                continue
            matching_field = matcher_of(list(shapes[name]))
            asked: dict[str, list[tuple[FieldQuery, Choices | None]]] = {}
            for part in query.fields:
                own = matching_field(part.name)
                if own is None:
                    self.warnings.append(unlearned("field", f"{query.name}.{part.name}"))
                else:
                    asked.setdefault(own, []).append((part, Choices(part.choices) if part.choices else None))
            planned.append((query.name, name, asked))
            self.heads.add("structures")

        def answer(findings: Findings) -> Any:
            structures = {}
            for shown, name, asked in planned:
                # Only a value that some query may have begins a record: a field outside the queries counts by the call's threshold.
                values = [
                    Value(part, hit)
                    for part in shapes[name]
                    for hit in findings.hits(
                        ("field", name, part), min((q.threshold for q, _ in asked.get(part, [])), default=threshold)
                    )
                ]
                records = [_record(record, asked) for record in group_records(values, shapes[name])]
                structures[shown] = [record for record in records if record]
            return structures

        return answer

    def _relations(self, queries: list[RelationQuery], layout: Layout) -> Callable[[Findings], Any]:
        matching, matching_type = matcher_of(layout.relations or []), matcher_of(layout.entities or [])
        planned: list[tuple[RelationQuery, str, list[str | None]]] = []
        for query in queries:
            name = matching(query.name)
            if name is None:
                self.warnings.append(unlearned("relation", query.name))
                continue
            types = [None if asked is None else matching_type(asked) for asked in (query.head, query.tail)]
            unchecked = [
                asked for asked, own in zip((query.head, query.tail), types, strict=True) if asked is not None and own is None
            ]
            self.warnings += [
                {
                    "code": "unchecked_type",
                    "message": f'The model knows no entity type "{asked}": the ends of "{query.name}" are not checked to be of it.',
                    "label": asked,
                }
                for asked in unchecked
            ]
            planned.append((query, name, types))
            self.heads.add("relations")

        def answer(findings: Findings) -> Any:
            relations: dict[str, list[dict[str, Any]]] = {query.name: [] for query in queries}
            for query, name, types in planned:
                of_type = [None if each is None else findings.hits(("entity", each), query.threshold) for each in types]
                for *ends, confidence in findings.relations(name, query.threshold):
                    if all(known is None or _touches(end, known) for end, known in zip(ends, of_type, strict=True)):
                        head, tail = ({**end.fields(), "confidence": confidence} for end in ends)
                        relations[query.name].append({"head": head, "tail": tail})
            return relations

        return answer

    def _warn_descriptions(self, schema: Schema) -> None:
        """Adds a warning about descriptions: trained heads go by names alone."""
        described = {
            "entities": [query.name for query in schema.entities or [] if query.description],
            "classifications": [label for query in schema.classifications or [] for label in query.descriptions],
            "structures": [
                f"{query.name}.{part.name}" for query in schema.structures or [] for part in query.fields if part.description
            ],
            "relations": [query.name for query in schema.relations or [] if query.description],
        }
        for head, names in described.items():
            if names:
                shown = ", ".join(f'"{name[:100]}"' for name in names[:5]) + (
                    f" and {len(names) - 5} more" if len(names) > 5 else ""
                )
                message = f"The descriptions in {head} are not used: of {shown} the model reads the names alone."
                self.warnings.append({"code": "unused_description", "message": message})


def chosen(query: ClassificationQuery, chances: list[float]) -> list[dict[str, Any]]:
    """Returns the labels of a query that answer it, the likeliest first, given the probability of each."""
    hits = [{"label": label, "confidence": chance} for label, chance in zip(query.labels, chances, strict=True)]
    hits.sort(key=lambda hit: -float(hit["confidence"]))
    if query.top_k is not None:
        return hits[: query.top_k]
    return [hit for hit in hits if float(hit["confidence"]) >= query.threshold] if query.multi_label else hits[:1]


def without_overlaps(hits: list[tuple[str, Hit]]) -> list[tuple[str, Hit]]:
    """Returns labelled hits of which none overlaps another, the likelier ones, in text order."""
    kept: list[tuple[str, Hit]] = []
    for label, hit in sorted(hits, key=lambda each: -each[1].confidence):
        if not _touches(hit, [other for _, other in kept]):
            kept.append((label, hit))
    return sorted(kept, key=lambda each: each[1].start)


def _touches(hit: Hit, others: list[Hit]) -> bool:
    return any(hit.start < other.end and other.start < hit.end for other in others)


def _lowest(labels: list[tuple[EntityQuery, str | None]], label: str) -> float:
    return min(query.threshold for query, own in labels if own == label)


def _record(record: list[Value], asked: dict[str, list[tuple[FieldQuery, Choices | None]]]) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = {}
    for part, hit in record:
        for query, choices in asked.get(part, []):
            if hit.confidence < query.threshold:
                continue
            value = hit.fields()
            if choices is not None:
                choice = choices.find(hit.text)
                if choice is None:
                    continue
                # A choice has no place in the text.
                value = {"text": choice, "confidence": hit.confidence}
            found.setdefault(query.name, []).append(value)
    return found
