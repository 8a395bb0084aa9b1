import type { Head } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { placeRecords, placeRelations, type PlacedRecord, type PlacedRelation } from './rows/placed.js';
import { resolveSpans, type ResolvedSpan } from './rows/spans.js';
import { storedRows } from './stored.js';

/** A row as engines take it; the same shape as `Example` of gpu-runner/engine. A key that is absent says nothing. */
export interface LabelledExample {
  readonly text: string;
  readonly entities?: readonly ResolvedSpan[];
  readonly labels?: readonly string[];
  readonly structures?: readonly PlacedRecord[];
  readonly relations?: readonly PlacedRelation[];
}

/** Keys of rows that no engine here learns yet, so that an example has no place for them; by the head that they label. */
const UNLEARNED: readonly (readonly [Head, string])[] = [['relations', 'relations']];

/** The row keys of the heads that no engine here learns. */
export const unlearnedKeys = (heads: readonly Head[]): readonly string[] =>
  UNLEARNED.flatMap(([head, key]) => (heads.includes(head) ? [key] : []));

/** Keys of this row that are not learned. */
export const unlearnedKeysOf = (row: JsonObject): readonly string[] =>
  UNLEARNED.flatMap(([, key]) => (row[key] === undefined ? [] : [key]));

/** The reason for refusing rows with such keys; follows the words that say whose rows they are. */
export function unlearned(keys: readonly string[]): string {
  const named = keys.join(' and ');
  return `has rows with ${named}, which no model here learns yet; upload the rows without ${named}`;
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

/** @throws SpanError when the row was never validated and its entities do not fit */
export function exampleOf(row: JsonObject): LabelledExample | null {
  const { text, entities, label, labels, json_structures: structures, relations } = row;
  if (typeof text !== 'string') return null;
  const classes = typeof label === 'string' ? [label] : Array.isArray(labels) ? (labels as readonly string[]) : null;
  const spans = Array.isArray(entities) ? resolveSpans(text, entities as readonly Json[]) : null;
  return {
    text,
    ...(spans ? { entities: spans } : {}),
    ...(classes ? { labels: classes } : {}),
    ...(Array.isArray(structures) ? { structures: placeRecords(text, structures as readonly Json[]) } : {}),
    ...(Array.isArray(relations) ? { relations: placeRelations(text, relations as readonly Json[], spans ?? []) } : {}),
  };
}
