import type { JsonObject } from '#domain/json.js';
import { UnreadableFileError } from '../limits.js';
import { isText } from './parts/named-columns.js';

/** Names of columns with the text of a span. */
const COPIES = ['entity', 'entity_text', 'entity_value', 'span', 'span_text', 'mention', 'term'];

/**
 * Refuses a table that has a row for each span, and so says of each text that it has that one alone: `text,start,end,label`.
 * @throws UnreadableFileError
 */
export function refuseOneSpanRows(rows: readonly JsonObject[]): void {
  const named = Object.keys(rows[0] ?? {});
  const copy = named.find((name) => COPIES.includes(name.trim().toLowerCase().replaceAll(/[ -]/g, '_')));
  const areSpans = rows.every(({ text, label, entities, ...row }) => {
    if (!isText(text) || !isText(label) || entities !== undefined) return false;
    const [start, end] = [row.start, row.end].map((value) => (isText(value) ? Number(value) : value));
    const isPlace = Number.isInteger(start) && Number.isInteger(end) && Number(start) < Number(end);
    const quoted = copy === undefined ? undefined : row[copy];
    return (isPlace && Number(end) <= text.length) || (isText(quoted) && quoted !== text && text.includes(quoted));
  });
  if (rows.length === 0 || !areSpans) return;
  const columns = copy === undefined ? '"start", "end"' : JSON.stringify(copy);
  throw new UnreadableFileError(
    `each row has one span (columns ${columns} and "label"); write a row for each text, with all its spans in a list: {"text": ..., ` +
      '"entities": [["Ada", "person"]]}. If label is the class of the text, upload it as "dataset_type": "classification"',
  );
}
