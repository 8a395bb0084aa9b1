import type { Json, JsonObject } from '#domain/json.js';
import { CodePoints } from '#domain/code-points.js';
import type { Layout } from '../layout.js';
import { isOwnEntity, isSpanEntry, spansOf } from '../parts/span-entries.js';

const TEXTS = ['text', 'sentence', 'content', 'document', 'data'];
const SPANS = ['entities', 'spans', 'label', 'labels', 'annotations', 'annotation', 'ner'];

/** A text with spans by their offsets: `{"text", "entities": [[0, 3, "person"]]}`, and what many scripts write like it. */
export const spans: Layout = {
  name: 'spans',
  title: 'texts with spans',
  unit: 'rows',
  offsets: 'code points',
  needs: [
    { what: `a text under ${TEXTS.join(', ')}`, holds: (row) => textKey(row) !== undefined },
    {
      what: `[start, end, label] or {"start", "end", "label"} in a list under ${SPANS.join(', ')}`,
      holds: (row) => spansKey(row) !== undefined,
    },
  ],
  read(row, context) {
    const text = textKey(row);
    const key = spansKey(row) ?? emptyKey(row);
    if (text === undefined || key === undefined) return [row];
    const entries = row[key] as readonly Json[];
    if (entries.length > 0 && entries.every(isOwnEntity) && !entries.some(isSpanEntry)) return [row];
    const given = spansOf(entries, key, context);
    if (given === null) return [];
    const { [text]: content, [key]: _, ...others } = row;
    return [{ text: content!, entities: context.entities(content as string, given), ...others }];
  },
};

const textKey = (row: JsonObject): string | undefined => TEXTS.find((key) => typeof row[key] === 'string');

/** The list of a row without spans, unless the row has entities in the native form. */
const emptyKey = (row: JsonObject): string | undefined =>
  row.entities === undefined ? SPANS.find((key) => Array.isArray(row[key]) && row[key].length === 0) : undefined;

const spansKey = (row: JsonObject): string | undefined =>
  SPANS.find((key) => {
    const value = row[key];
    const isSpan = (entry: Json) => (key === 'entities' ? isForeign(entry, row.text) : isSpanEntry(entry));
    return Array.isArray(value) && (value as readonly Json[]).some(isSpan);
  });

/** Whether an entry gives offsets in another way than native entities, which give code points beside their text. */
function isForeign(entry: Json, text: Json | undefined): boolean {
  if (!isSpanEntry(entry)) return false;
  if (!isOwnEntity(entry)) return true;
  const { start, text: own, span } = entry as JsonObject;
  const stretch = (own ?? span) as string;
  if (typeof text !== 'string' || typeof start !== 'number') return false;
  const index = new CodePoints(text).utf16Index(start);
  return index !== start && !text.startsWith(stretch, index ?? text.length) && text.startsWith(stretch, start);
}
