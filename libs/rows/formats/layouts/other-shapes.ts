import type { Json, JsonObject } from '#domain/json.js';
import type { BlockForm } from '../blocks.js';
import { isObject } from '../rows/kinds.js';
import { looksLikeTag } from './parts/tags.js';

const MAX_NAMED = 5;

/** How to write a file whose rows are no rows: a table without a header row, or several lists; undefined: it has rows. */
export function otherShape(rows: readonly JsonObject[], form: BlockForm): string | undefined {
  if (form.kind === 'csv') return areTokens(rows) ? TOKENS : withoutHeader(form.columns.map(({ name }) => name));
  const [row, ...others] = rows;
  if (row === undefined || others.length > 0) return undefined;
  const lists = Object.keys(row);
  if (lists.length === 0 || !lists.every((key) => isListOfRows(row[key]))) return undefined;
  const named = lists.slice(0, MAX_NAMED).map((key) => JSON.stringify(key.slice(0, 60)));
  return `the file is one object with ${lists.length === 1 ? 'the list' : 'the lists'} ${named.join(', ')}; upload a list of rows as a file of its own`;
}

const TOKENS =
  'the rows look like a token and its label each: "format": "conll" reads them, if blank lines end the sentences';

/** Whether some column says of most rows that they are in no entity. */
const areTokens = (rows: readonly JsonObject[]): boolean =>
  Object.keys(rows[0] ?? {}).some(
    (key) =>
      2 * rows.filter(({ [key]: cell }) => typeof cell === 'string' && /(?:^|\s)O$/.test(cell)).length > rows.length,
  );

/** Names of columns that look like the cells of a row. */
function withoutHeader(names: readonly string[]): string | undefined {
  const isCell = (name: string) =>
    (name !== 'O' && looksLikeTag(name)) || /^\d+$|^__label__|(?:\S+\s+){3}\S/.test(name) || name.length > 60;
  return names.some(isCell)
    ? 'the first line looks like a row, and the first line of a table names its columns: write one before it, such as text,label, ' +
        'or name its columns by numbers, as in column_mapping {"text": "column 2", "label": "column 1"}'
    : undefined;
}

const isListOfRows = (value: Json | undefined): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  (value as readonly Json[]).every((each) => isObject(each) || Array.isArray(each));
