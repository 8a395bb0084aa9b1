import type { Json, JsonObject } from '#domain/json.js';
import { CodePoints } from '#domain/code-points.js';
import { isObject, listOf } from '../../rows/kinds.js';
import type { Counting, Layout } from '../layout.js';
import { entitiesOf, entriesOf, isCopiedEntry, isOwnEntity, isSpanEntry } from '../parts/span-entries.js';

const TEXTS = ['text', 'sentence', 'content', 'document', 'data', 'full_text'];
const SPANS = ['entities', 'ents', 'spans', 'label', 'labels', 'annotations', 'annotation', 'ner'];

/** A text with spans by their offsets: `{"text", "entities": [[0, 3, "person"]]}`, and what many scripts write like it. */
export const spans: Layout = {
  name: 'spans',
  title: 'texts with spans',
  unit: 'rows',
  offsets: 'code points',
  needs: [
    { what: `a text under ${TEXTS.join(', ')}`, holds: (row) => textKey(row) !== undefined },
    {
      what: `[start, end, label], {"start", "end", "label"} or {"text", "type"} in a list under ${SPANS.join(', ')}`,
      holds: (row) => spansKey(row) !== undefined,
    },
  ],
  holdsIn: (rows) => rows.some((row) => spansKey(row, isForeign) !== undefined) || areCounted(rows),
  read(row, context) {
    const text = textKey(row);
    const key = spansKey(row) ?? emptyKey(row);
    if (text === undefined || key === undefined) return [row];
    const entries = entriesOf(row[key], row[text])!;
    if (entries.length > 0 && entries.every(isOwnEntity) && !entries.some(isSpanEntry)) return [row];
    const { [text]: content, [key]: _, ...others } = row;
    const entities = entitiesOf(content as string, entries, key, context);
    return entities === null ? [] : [{ text: content!, entities, ...others }];
  },
};

const textKey = (row: JsonObject): string | undefined => TEXTS.find((key) => typeof row[key] === 'string');

/** The list of a row without spans, unless the row has entities in the native form. */
const emptyKey = (row: JsonObject): string | undefined =>
  row.entities === undefined || !Array.isArray(row.entities)
    ? SPANS.find((key) => entriesOf(row[key])?.length === 0)
    : undefined;

type IsOther = (entry: Json, text: Json | undefined) => boolean;

const spansKey = (row: JsonObject, isOther: IsOther = isForeignOrCounted): string | undefined =>
  SPANS.find((key) => {
    const isSpan = (entry: Json) => isOther(entry, row.text) || (key !== 'entities' && isSpanEntry(entry));
    return entriesOf(row[key], row[textKey(row) ?? ''])?.some(isSpan);
  });

const isForeignOrCounted: IsOther = (entry, text) => {
  const counted = countingOf(entry, text);
  return isForeign(entry, text) || counted?.by === 'bytes' || counted?.by === 'inclusive';
};

/** Whether an entry gives offsets in another way than native entities, which give code points beside their text. */
function isForeign(entry: Json, text: Json | undefined): boolean {
  if (!isSpanEntry(entry)) return isCopiedEntry(entry) && !isOwnEntity(entry);
  if (!isOwnEntity(entry)) return true;
  const { start, text: own, span } = entry as JsonObject;
  if (typeof start !== 'number') return true;
  const stretch = (own ?? span) as string;
  if (typeof text !== 'string') return false;
  const index = new CodePoints(text).utf16Index(start);
  return index !== start && !text.startsWith(stretch, index ?? text.length) && text.startsWith(stretch, start);
}

/** How a native entity with both offsets counts them; null: its text tells nothing, or stands at neither. */
function countingOf(
  entry: Json,
  text: Json | undefined,
): { readonly by: Counting; readonly wouldDiffer: boolean } | null {
  if (typeof text !== 'string' || !isObject(entry) || !isOwnEntity(entry)) return null;
  const { start, end, text: own, span } = entry;
  const stretch = (own ?? span) as string;
  // White space at the edges may be counted or not.
  if (typeof start !== 'number' || typeof end !== 'number' || stretch === '' || stretch.trim() !== stretch) return null;
  const index = new CodePoints(text).utf16Index(start);
  const length = [...stretch].length;
  if (index !== null && text.startsWith(stretch, index)) {
    const wouldDiffer = Buffer.byteLength(text.slice(0, index)) !== start || Buffer.byteLength(stretch) !== length;
    if (end === start + length) return { by: 'usual', wouldDiffer };
    if (end === start + length - 1) return { by: 'inclusive', wouldDiffer };
  }
  const bytes = Buffer.from(text).subarray(start, end);
  return bytes.equals(Buffer.from(stretch)) ? { by: 'bytes', wouldDiffer: true } : null;
}

/** Whether most native entities whose offsets tell count them otherwise: a few that do are wrong. */
function areCounted(rows: readonly JsonObject[]): boolean {
  const found = rows.flatMap(({ text, entities }) => listOf(entities).flatMap((each) => countingOf(each, text) ?? []));
  const count = (by: Counting) => found.filter((each) => each.by === by).length;
  const usual = found.filter((each) => each.by === 'usual');
  return count('inclusive') > usual.length || count('bytes') > usual.filter(({ wouldDiffer }) => wouldDiffer).length;
}
