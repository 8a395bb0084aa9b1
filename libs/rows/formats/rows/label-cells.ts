import type { Json, JsonObject } from '#domain/json.js';
import { looksLikeJson, parseCell } from '../read/json-values.js';

const QUOTED = String.raw`'[^']*'|"[^"]*"`;
/** A list, tuple or set of texts as Python prints it, and numpy: without commas. */
const PRINTED = new RegExp(String.raw`^\s*[[({]\s*(?:${QUOTED})(?:[\s,]+(?:${QUOTED}))*,?\s*[\])}]\s*$`);

/** What a label is: the list or object of a text that holds one, as cells of tables do. */
export function labelValue(label: Json): Json {
  if (typeof label !== 'string') return label;
  if (PRINTED.test(label))
    return [...label.matchAll(new RegExp(QUOTED, 'g'))].map(([quoted]) => quoted.slice(1, -1)).filter(Boolean);
  if (!looksLikeJson(label)) return label;
  // A label that nests deeper is too long for one.
  const parsed = parseCell(label, { nesting: MAX_NESTING });
  return typeof parsed === 'object' ? parsed : label;
}

const MAX_NESTING = 10;

/** A row with what its `label` holds: several labels as `labels`. The row itself if that is a text. */
export function withLabelValue(row: JsonObject): JsonObject {
  const { label } = row;
  const value = typeof label === 'string' ? labelValue(label) : label;
  if (value === label) return row;
  const key = areTexts(value) && row.labels === undefined ? 'labels' : 'label';
  return Object.fromEntries(
    Object.entries(row).map(([name, each]) => (name === 'label' ? [key, value] : [name, each])),
  );
}

const areTexts = (value: Json | undefined): boolean =>
  Array.isArray(value) && (value as readonly Json[]).every((each) => typeof each === 'string');
