import type { Json, JsonObject } from '#domain/json.js';
import { isObject, kind } from '../../rows/kinds.js';
import type { GivenSpan, RowContext } from '../layout.js';

const STARTS = ['start', 'start_offset', 'start_char', 'begin'];
const ENDS = ['end', 'end_offset', 'end_char'];
const LABELS = ['label', 'labels', 'entity_group', 'entity', 'type', 'tag', 'category', 'entity_type', 'class'];
const TEXTS = ['text', 'span', 'value', 'surface'];

/** Whether an entry gives a span's start and end as numbers. */
export function isSpanEntry(entry: Json): boolean {
  if (Array.isArray(entry)) return isTriple(entry) || isLabelFirst(entry);
  return isObject(entry) && typeof first(entry, STARTS) === 'number' && typeof first(entry, ENDS) === 'number';
}

const isTriple = (entry: readonly unknown[]): boolean => typeof entry[0] === 'number' && typeof entry[1] === 'number';

/** `[label, start, end]`, as Argilla of version 1 writes it. */
const isLabelFirst = ([label, start, end]: readonly unknown[]): boolean =>
  typeof label === 'string' && typeof start === 'number' && typeof end === 'number';

/** Whether an entry is an entity in the native form: its text, its label, and perhaps its offsets. */
export const isOwnEntity = (entry: Json): boolean =>
  Array.isArray(entry)
    ? entry.length === 2 && typeof entry[0] === 'string'
    : isObject(entry) && typeof (entry.text ?? entry.span) === 'string' && typeof entry.label === 'string';

/**
 * Spans of entries like `[start, end, label]` and `{start, end, label}` under any of their usual names. A span with several
 * labels is one for each.
 * @returns null after a refusal
 */
export function spansOf(entries: readonly Json[], at: string, context: RowContext): readonly GivenSpan[] | null {
  const spans: GivenSpan[] = [];
  for (const [index, entry] of entries.entries()) {
    const place = `${at}[${index}]`;
    const { start, end, label, text } = partsOf(entry);
    if (!isOffset(start) || !isOffset(end) || end < start)
      return refused(context, place, 'must have a start and an end, whole numbers from 0');
    const labels = Array.isArray(label) ? (label as readonly Json[]) : [label ?? null];
    for (const each of labels) {
      if (typeof each === 'number')
        return refused(context, place, `has the label ${each}: a number of a class, whose name is not in the file`);
      if (typeof each !== 'string' || each.trim() === '')
        return refused(context, place, `must have a label that is a string, not ${kind(each)}`);
    }
    if (labels.length === 0) context.tell('spans without a label left out');
    else if (start === end) context.tell('empty spans left out');
    else for (const each of labels as readonly string[]) spans.push({ start, end, label: each, at: place, ...text });
  }
  return spans;
}

function partsOf(entry: Json) {
  if (Array.isArray(entry)) {
    const list = entry as readonly Json[];
    const [start, end, label] = isLabelFirst(list) ? [list[1], list[2], list[0]] : list;
    return { start, end, label, text: {} };
  }
  if (!isObject(entry)) return { start: null, end: null, label: null, text: {} };
  const text = first(entry, TEXTS);
  return {
    start: first(entry, STARTS),
    end: first(entry, ENDS),
    label: first(entry, LABELS),
    text: typeof text === 'string' ? { text } : {},
  };
}

function refused(context: RowContext, field: string, reason: string): null {
  context.refuse(field, reason);
  return null;
}

/** The first of these keys that has a value. */
function first(row: JsonObject, keys: readonly string[]): Json | undefined {
  for (const key of keys) if (row[key] !== undefined && row[key] !== null) return row[key];
  return undefined;
}

const isOffset = (value: Json | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
