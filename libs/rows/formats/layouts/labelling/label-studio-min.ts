import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import { quote } from '../../rows/spans.js';
import type { Layout } from '../layout.js';
import { isSpanEntry, spansOf } from '../parts/span-entries.js';

const TEXTS = ['text', 'content', 'sentence', 'document'];

/**
 * Label Studio's JSON-MIN: the fields of the task, then `id`, the answers by the name of their question, and then the
 * annotator. Several annotators of a task have a row each. In its CSV export the columns may be in alphabetical order.
 * @see https://labelstud.io/guide/export
 */
export const labelStudioMin: Layout = {
  name: 'label-studio-min',
  title: 'Label Studio JSON-MIN',
  unit: 'annotations',
  toolKeys: /^(?:annotation_id|annotator|project|inner_id|.*_at|.*_by|.*agreement.*|lead_time)$/,
  offsets: 'UTF-16',
  needs: [
    { what: `a text under ${TEXTS.join(', ')}`, holds: (row) => textKey(row) !== undefined },
    { what: '"annotation_id" and "annotator"', holds: (row) => 'annotation_id' in row && 'annotator' in row },
  ],
  columnsIn: sortedAnswers,
  read(row, context) {
    const key = textKey(row);
    if (key === undefined) {
      context.refuse('', `has no text under ${TEXTS.join(', ')}`);
      return [];
    }
    const text = row[key] as string;
    const heads: { entities?: Json[] } & Record<string, Json> = {};
    const answers = answersOf(row);
    const guessed = answers ? [] : context.columns.filter((name) => isClass(row[name] ?? null));
    if (guessed.length > 1) {
      context.refuse('', `may have its class under ${guessed.map(quote).join(', ')}; leave the other columns out`);
      return [];
    }
    for (const name of answers ?? context.columns) {
      const value = row[name] ?? null;
      if (value === null) continue;
      if (Array.isArray(value) && (value as readonly Json[]).every(isSpanEntry)) {
        const spans = spansOf(value as readonly Json[], name, context);
        if (spans === null) return [];
        heads.entities = [...(heads.entities ?? []), ...context.entities(text, spans)];
      } else if (typeof value === 'string') Object.assign(heads, context.classes(name, [value]));
      else if (isObject(value) && Array.isArray(value.choices))
        Object.assign(heads, context.classes(name, value.choices as string[]));
      else context.tellAnswer('answers of another kind left out');
    }
    if (Object.keys(heads).length > 0) return [{ text, ...heads, ...(row.id !== undefined && { id: row.id }) }];
    if (context.areEmptyUnlabelled) context.leaveUnlabelled('annotated with nothing');
    else context.tell('annotated with nothing');
    return context.areEmptyUnlabelled ? [] : [{ text, entities: [] }];
  },
};

const isClass = (value: Json): boolean =>
  typeof value === 'string' || (isObject(value) && Array.isArray(value.choices));

const textKey = (row: JsonObject): string | undefined => TEXTS.find((key) => typeof row[key] === 'string');

/** The answers are between the id of the task and the annotator, in the order of the export. */
function answersOf(row: JsonObject): readonly string[] | null {
  const names = Object.keys(row);
  const end = names.indexOf('annotator');
  const start = names.lastIndexOf('id', end);
  return start < 0 ? null : names.slice(start + 1, end).filter((name) => !TEXTS.includes(name));
}

/** Columns in the order of the alphabet: those with spans are answers, else each that is not of every export. */
function sortedAnswers(rows: readonly JsonObject[]): readonly string[] {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const others = names.filter((name) => !TEXTS.includes(name) && !OF_EVERY_TASK.includes(name));
  const spanned = others.filter((name) => rows.some((row) => Array.isArray(row[name])));
  return spanned.length > 0 ? spanned : others;
}

const OF_EVERY_TASK = ['id', 'annotator', 'annotation_id', 'created_at', 'updated_at', 'lead_time'];
