import type { JsonObject } from '#domain/json.js';
import type { Layout } from '../layout.js';
import { isText } from '../parts/named-columns.js';

/**
 * The CSV of doccano's projects for classes, where several classes of a text are sorted and joined: `news#sports`.
 * @see https://github.com/doccano/doccano/blob/master/backend/data_export/pipeline/formatters.py
 */
export const doccanoJoined: Layout = {
  name: 'doccano-joined',
  title: 'doccano CSV, its classes joined by "#"',
  unit: 'examples',
  offsets: 'code points',
  needs: [
    {
      what: '"id", "text" and "label", whose classes are joined by "#"',
      holds: ({ id, text, label }) => id !== undefined && isText(text) && (label === undefined || isText(label)),
    },
  ],
  holdsIn: areJoined,
  read({ text, label, Comments: _, ...others }, context) {
    const classes = isText(label) ? label.split('#') : [];
    return [{ text: text ?? null, ...context.classes('label', classes), ...others }];
  },
};

/** Whether each label with the mark is a sorted list, of which some class also occurs elsewhere: others contain it, as "C#" does. */
function areJoined(rows: readonly JsonObject[]): boolean {
  const labels = new Set(rows.flatMap(({ label }) => (isText(label) ? [label] : [])));
  const joined = [...labels].filter((label) => label.includes('#')).map((label) => label.split('#'));
  const isSorted = (parts: readonly string[]) =>
    parts.every((part, at) => part.trim() !== '' && (at === 0 || parts[at - 1]! < part));
  const isKnown = (part: string) => labels.has(part) || joined.filter((parts) => parts.includes(part)).length > 1;
  return joined.length > 0 && joined.every(isSorted) && joined.flat().some(isKnown);
}
