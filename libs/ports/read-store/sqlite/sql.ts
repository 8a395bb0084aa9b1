import { hash } from 'node:crypto';
import type { SQLInputValue } from 'node:sqlite';
import { assertSummable, fieldsOf, indexFor, isIndexableName } from '../indexes.js';
import type { Index, Query, Range, Scalar } from '../port.js';
import { wordIndexOf, wordsOf } from '../words.js';

interface Statement {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** What a statement has to know of a file. */
interface Layout {
  readonly name: string;
  readonly indexes: readonly Index[];
  /** Fields whose columns are ids of `texts`. */
  readonly shared: ReadonlySet<string>;
}

/** @throws QueryNotIndexedError */
export function findSql(file: Layout, query: Query): Statement {
  const { limit, offset = 0, order, range } = query;
  if (!Number.isInteger(limit) || limit < 0 || !Number.isInteger(offset) || offset < 0)
    throw new RangeError(`limit and offset must be whole numbers from 0, not ${limit} and ${offset}`);
  indexFor(file.name, file.indexes, query);
  const { sql, values } = conditions(query, file);
  const direction = order?.direction === 'descending' ? 'DESC' : 'ASC';
  const field = order?.field ?? range?.field;
  const by = field === undefined ? `key` : `${shownColumn(file, field)} ${direction}, key ${direction}`;
  const ordered = field === undefined && Object.keys(query.where).length > 0 ? '' : ` ORDER BY ${by}`;
  return {
    // SQLite plans by the value of a bare `LIMIT ?`, and so plans again each time one is bound.
    sql: `SELECT doc FROM documents${sql}${ordered} LIMIT CAST(? AS INTEGER) OFFSET CAST(? AS INTEGER)`,
    values: [...values, limit, offset],
  };
}

/** @throws QueryNotIndexedError */
export function countSql(file: Layout, query: Conditions): Statement {
  indexFor(file.name, file.indexes, query);
  const { sql, values } = conditions(query, file);
  return { sql: `SELECT count(*) AS total FROM documents${sql}`, values };
}

type AskedFields = readonly [file: Layout, query: Conditions, fields: readonly string[]];

/** The sum of each field over the documents that match. @throws QueryNotIndexedError */
export const sumSql = (...asked: AskedFields): Statement =>
  selectSql((column, place) => `coalesce(sum(${column}), 0) AS sum${place}`, ...asked);

/** The fields of the documents that match, in the order of the fields. @throws QueryNotIndexedError */
export const fieldsSql = (...asked: AskedFields): Statement => selectSql((column) => column, ...asked);

function selectSql(
  selected: (column: string, place: number) => string,
  ...[file, query, fields]: AskedFields
): Statement {
  indexFor(file.name, file.indexes, query);
  assertSummable(file.name, file.indexes, fields);
  const { sql, values } = conditions(query, file);
  const columns = fields.map((field, place) => selected(shownColumn(file, field), place));
  return { sql: `SELECT ${columns.join(', ') || '1'} FROM documents${sql}`, values };
}

/** A document field's column. The prefix keeps it apart from the table's own. */
export function fieldColumn(field: string): string {
  if (!isIndexableName(field)) throw new RangeError(`${JSON.stringify(field)} cannot be indexed`);
  return `f_${field}`;
}

/** The column value of an indexed field. */
export const fieldValue = (value: Scalar | undefined): SQLInputValue => scalar(value ?? null);

type Conditions = Pick<Query, 'where' | 'range' | 'filter'>;

/** The value of a field of an index, whichever way its column has it. */
function shownColumn({ shared }: Layout, field: string): string {
  const column = `"${fieldColumn(field)}"`;
  return shared.has(field) ? `(SELECT text FROM texts WHERE id = ${column})` : column;
}

/** The value of a field within the document. */
export const inDocument = ({ shared }: Pick<Layout, 'shared'>, field: string): string =>
  `json_extract(${shared.size > 0 ? 'as_json(doc)' : 'doc'}, '$.${fieldColumn(field).slice(2)}')`;

function conditions({ where, range, filter }: Conditions, file: Layout): Statement {
  const { indexes, shared } = file;
  const terms: string[] = [];
  const values: SQLInputValue[] = [];
  const columns = new Set(fieldsOf(indexes));
  const anywhere = (field: string) => (columns.has(field) ? shownColumn(file, field) : inDocument(file, field));
  const equal = (field: string, wanted: Scalar | readonly Scalar[]) =>
    columns.has(field) && shared.has(field)
      ? equality(`"${fieldColumn(field)}"`, wanted, idsOf)
      : equality(anywhere(field), wanted);
  const add = (statement: Statement) => {
    terms.push(statement.sql);
    values.push(...statement.values);
  };
  for (const [field, wanted] of Object.entries(where)) add(equal(field, wanted));
  if (range) bounds(shownColumn(file, range.field), range).forEach(add);
  for (const [field, wanted] of Object.entries(filter?.where ?? {})) add(equal(field, wanted));
  for (const each of filter?.ranges ?? []) bounds(anywhere(each.field), each).forEach(add);
  const scope = wordIndexOf(indexes)?.fields[0];
  if (filter?.words !== undefined && scope !== undefined)
    add({
      sql: 'documents.rowid IN (SELECT rowid FROM words WHERE words MATCH ?)',
      values: [matching(where[scope] as Scalar, wordsOf(filter.words))],
    });
  for (const { field, text } of filter?.contains ?? [])
    add({ sql: `instr(${anywhere(field)}, ?) > 0`, values: [text] });
  return { sql: terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`, values };
}

/** The ids of texts. `+` takes their affinity away, with which no index of a column without one could serve. */
const idsOf = (texts: string): string => `(SELECT +id FROM texts WHERE text IN (${texts}))`;

/** @param among what the column is one of, for the given values */
function equality(
  column: string,
  wanted: Scalar | readonly Scalar[],
  among: (values: string) => string = (values) => `(${values})`,
): Statement {
  const list: readonly Scalar[] = Array.isArray(wanted) ? (wanted as readonly Scalar[]) : [wanted as Scalar];
  const present = list.filter((value) => value !== null).map(scalar);
  const alternatives: string[] = [];
  if (present.length === 1) alternatives.push(`${column} = ${among('?')}`);
  else if (present.length > 1) alternatives.push(`${column} IN ${among(present.map(() => '?').join(', '))}`);
  if (present.length < list.length) alternatives.push(`${column} IS NULL`);
  return { sql: alternatives.length === 0 ? '0' : `(${alternatives.join(' OR ')})`, values: present };
}

function bounds(column: string, { from, to }: Range): Statement[] {
  const sides = [
    ['>=', from],
    ['<=', to],
  ] as const;
  return sides.flatMap(([operator, bound]) =>
    bound === undefined || bound === null ? [] : [{ sql: `${column} ${operator} ?`, values: [scalar(bound)] }],
  );
}

/** The word for the value of the field within which words are indexed. */
export const scopeWord = (value: Scalar | undefined): string =>
  hash('sha256', JSON.stringify(value ?? null)).slice(0, 32);

/** No words match nothing: FTS5 rejects an empty pattern. */
const matching = (scope: Scalar, words: readonly string[]): string =>
  [`scope : ${scopeWord(scope)}`, ...(words.length > 0 ? words : ['-']).map((word) => `text : "${word}"`)].join(
    ' AND ',
  );

const scalar = (value: Scalar): SQLInputValue => (typeof value === 'boolean' ? Number(value) : value);
