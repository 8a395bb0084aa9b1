import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../rows/kinds.js';
import type { Layout } from './layout.js';
import { isSpanEntry, spansOf } from './span-entries.js';

const TEXTS = ['text', 'content', 'sentence', 'document'];

/**
 * Label Studio's JSON-MIN: the fields of the task, then `id`, the answers by the name of their question, and then who annotated it.
 * Several annotators of a task have a row each.
 * @see https://labelstud.io/guide/export
 */
export const labelStudioMin: Layout = {
  name: 'label-studio-min',
  title: 'Label Studio JSON-MIN',
  unit: 'annotations',
  offsets: 'UTF-16',
  needs: [
    { what: `a text under ${TEXTS.join(', ')}`, holds: (row) => textKey(row) !== undefined },
    { what: '"annotation_id" and "annotator"', holds: (row) => 'annotation_id' in row && 'annotator' in row },
  ],
  read(row, context) {
    const key = textKey(row);
    if (key === undefined) {
      context.refuse('', `has no text under ${TEXTS.join(', ')}`);
      return [];
    }
    const text = row[key] as string;
    const heads: { entities?: Json[] } & Record<string, Json> = {};
    for (const [name, value] of answersOf(row)) {
      if (Array.isArray(value) && (value as readonly Json[]).every(isSpanEntry)) {
        const spans = spansOf(value as readonly Json[], name, context);
        if (spans === null) return [];
        heads.entities = [...(heads.entities ?? []), ...context.entities(text, spans)];
      } else if (typeof value === 'string') Object.assign(heads, context.classes(name, [value]));
      else if (isObject(value) && Array.isArray(value.choices))
        Object.assign(heads, context.classes(name, value.choices as string[]));
      else context.tell('answers of another kind left out');
    }
    if (Object.keys(heads).length > 0) return [{ text, ...heads, ...(row.id !== undefined && { id: row.id }) }];
    context.tell('annotated with nothing');
    return context.datasetType === 'classification' ? [] : [{ text, entities: [] }];
  },
};

const textKey = (row: JsonObject): string | undefined => TEXTS.find((key) => typeof row[key] === 'string');

/** The answers stand between the id of the task and the annotator, in the order in which the export writes them. */
function answersOf(row: JsonObject): readonly (readonly [string, Json])[] {
  const entries = Object.entries(row) as [string, Json][];
  const names = entries.map(([name]) => name);
  const end = names.indexOf('annotator');
  const start = names.lastIndexOf('id', end);
  return entries.slice(start + 1, end).filter(([name]) => !TEXTS.includes(name));
}
