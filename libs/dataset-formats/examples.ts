import type { Json, JsonObject } from '#domain/json.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { placeRecords, placeRelations, type PlacedRecord, type PlacedRelation } from './rows/placed.js';
import { distinct } from './rows/repeated.js';
import { resolveSpans, type ResolvedSpan } from './rows/spans.js';
import { storedRows } from './stored.js';

/** A row as engines take it; the same shape as `Example` of gpu-runner/engine. A key that is absent says nothing. */
interface LabelledExample {
  readonly text: string;
  readonly entities?: readonly ResolvedSpan[];
  readonly labels?: readonly string[];
  readonly structures?: readonly PlacedRecord[];
  readonly relations?: readonly PlacedRelation[];
}

/**
 * The labelled rows of a stored dataset version, in order. Rows without a text (free rows of custom datasets) are left out.
 * @param rowsKey `object.key` of a pin or a ready version
 * @throws ObjectNotFoundError
 */
export async function* readExamples(store: ObjectStore, rowsKey: string): AsyncGenerator<LabelledExample> {
  for await (const row of storedRows(store, rowsKey)) {
    const example = exampleOf(row);
    if (example) yield example;
  }
}

/**
 * A span that a row lists twice at the same place of its text counts once.
 * @throws SpanError when the row was never validated and its entities do not fit
 */
export function exampleOf(row: JsonObject): LabelledExample | null {
  const { text, entities, label, labels, json_structures: structures, relations } = row;
  if (typeof text !== 'string') return null;
  const classes = typeof label === 'string' ? [label] : Array.isArray(labels) ? (labels as readonly string[]) : null;
  const spans = Array.isArray(entities) ? distinct(resolveSpans(text, entities as readonly Json[])) : null;
  return {
    text,
    ...(spans ? { entities: spans } : {}),
    ...(classes ? { labels: distinct(classes) } : {}),
    ...(Array.isArray(structures) ? { structures: distinct(placeRecords(text, structures as readonly Json[])) } : {}),
    ...(Array.isArray(relations)
      ? { relations: distinct(placeRelations(text, relations as readonly Json[], spans ?? [])) }
      : {}),
  };
}
