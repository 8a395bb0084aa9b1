import type { Json, JsonObject } from '#domain/json.js';
import { tasksOf, type TaskLabels } from './rows/class-tasks.js';
import { placeRecords, placeRelations, type PlacedRecord, type PlacedRelation } from './rows/placed.js';
import { distinct } from './rows/repeated.js';
import { resolveSpans, type ResolvedSpan } from './rows/spans.js';

/** A row in the engines' form; the same shape as `Example` of gpu-runner/engines. An absent key means unlabelled. */
interface LabelledExample {
  readonly text: string;
  readonly entities?: readonly ResolvedSpan[];
  readonly labels?: readonly string[];
  readonly tasks?: readonly TaskLabels[];
  readonly structures?: readonly PlacedRecord[];
  readonly relations?: readonly PlacedRelation[];
}

/**
 * A span that a row lists twice at the same place of its text counts once.
 * @throws SpanError when the row was never validated and its entities do not fit
 */
export function exampleOf(row: JsonObject): LabelledExample | null {
  const { text, entities, label, labels, json_structures: structures, relations } = row;
  if (typeof text !== 'string') return null;
  const classes = typeof label === 'string' ? [label] : Array.isArray(labels) ? (labels as readonly string[]) : null;
  const tasks = tasksOf(row);
  const spans = Array.isArray(entities) ? distinct(resolveSpans(text, entities as readonly Json[])) : null;
  return {
    text,
    ...(spans ? { entities: spans } : {}),
    ...(classes ? { labels: distinct(classes) } : {}),
    ...(tasks ? { tasks } : {}),
    ...(Array.isArray(structures) ? { structures: distinct(placeRecords(text, structures as readonly Json[])) } : {}),
    ...(Array.isArray(relations)
      ? { relations: distinct(placeRelations(text, relations as readonly Json[], spans ?? [])) }
      : {}),
  };
}
