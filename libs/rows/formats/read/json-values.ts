import type { Json, JsonObject } from '#domain/json.js';
import type { FileLimits } from '../limits.js';
import { isObject, kind, type FieldProblem } from '../rows/kinds.js';
import { faultyRow } from './faulty-line.js';
import { pythonLiteral } from './python-literal.js';

/** A row as the file has it, or why that row cannot be read. */
export type SourceRow =
  | {
      readonly value: JsonObject;
      readonly error?: never;
      /** The row as it stands in the file, if `value` has names for numbers of it. */
      readonly given?: JsonObject;
      /** Whether the text is not JSON as it stands. */
      readonly isMended?: boolean;
    }
  | {
      readonly value?: never;
      readonly error: FieldProblem;
      /** What the file has there: the row, its cells or its text. */
      readonly raw: Json;
    };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b;
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d;

/** A text this long is looked at for its depth before it is parsed: parsed, a tower of brackets takes many times its bytes. */
const LONG = 64 * 1024;

/** Parses a row's JSON. Of a key that occurs twice the last one counts, as in every JSON reader. */
export function parseRow(text: Buffer, { nesting }: FileLimits): SourceRow {
  const refused = (reason: string) => ({ error: { field: '', reason }, raw: text.toString('utf8') });
  const tooDeep = () => refused(`nests deeper than ${nesting} levels`);
  if (text.length > LONG && isDeeperThan(text, nesting)) return tooDeep();
  let value: Json;
  let isMended = false;
  try {
    value = JSON.parse(text.toString('utf8')) as Json;
  } catch (error) {
    if (isDeeperThan(text, nesting)) return tooDeep();
    const mended = withoutNumbersThatAreNone(text);
    if (mended === null) return refused(`is not JSON: ${faultIn(text, (error as Error).message)}`);
    value = mended;
    isMended = true;
  }
  if (isValueDeeperThan(value, nesting)) return tooDeep();
  const faulty = faultyRow(value);
  if (faulty !== null) return faulty;
  if (isObject(value)) return { value, ...(isMended && { isMended }) };
  if (isTextPair(value)) return { value: { text: value[0], annotations: value[1] } };
  return refused(`must be an object like {"text": ...}, is ${kind(value)}`);
}

/** The value of JSON as Python writes it, with null for NaN and Infinity; null: it is not JSON for another reason. */
function withoutNumbersThatAreNone(text: Buffer): Json {
  const json = text.toString('utf8');
  if (!/NaN|Infinity/.test(json)) return null;
  const outside = (whole: string, value: string | undefined) => (value === undefined ? whole : 'null');
  try {
    return JSON.parse(json.replaceAll(/"(?:[^"\\]|\\.)*"|(-?\b(?:NaN|Infinity)\b)/g, outside)) as Json;
  } catch {
    return null;
  }
}

/** The fault of a text that is almost JSON, with advice; else the parser's message. */
function faultIn(text: Buffer, message: string): string {
  const ending = text.toString('utf8', Math.max(0, text.length - LONG));
  const begun = text.toString('utf8', 0, LONG);
  if (/[}\]]\s*,$/.test(ending))
    return 'there is a comma behind it, and rows of JSONL stand on a line each without one';
  if (/^[{[]$|^\{\s*"[^"]*"\s*:\s*[[{]?$/.test(begun) || (/^[{[]/.test(begun) && /[,{[]$/.test(ending)))
    return 'it ends in the middle of a row, and rows of JSONL stand on a line each; write them on one line, or all of them as a list';
  if (/^\{\s*'/.test(begun)) return 'its texts are in single quotes, as Python prints them; write it with json.dumps';
  if (begun.startsWith('```')) return 'it is a fence of Markdown around the rows; delete the lines of ```';
  if (/,\s*[}\]]/.test(begun)) return 'there is a comma before a closing bracket';
  return message.slice(0, 200);
}

/** Whether a row is `["text", {...}]`, the form of spaCy's training data. */
const isTextPair = (value: Json): value is readonly [string, JsonObject] =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && isObject(value[1] as Json);

/**
 * The JSON in a cell of a table, or the list that Python printed there.
 * @returns undefined when it nests too deep, the cell itself when it is neither
 */
export function parseCell(cell: string, { nesting }: Pick<FileLimits, 'nesting'>): Json | undefined {
  if (cell.length > LONG && isDeeperThan(Buffer.from(cell), nesting)) return undefined;
  let value: Json;
  try {
    value = JSON.parse(cell) as Json;
  } catch {
    return isDeeperThan(Buffer.from(cell), nesting) ? undefined : (pythonLiteral(cell, nesting) ?? cell);
  }
  return isValueDeeperThan(value, nesting) ? undefined : value;
}

/** Whether a cell starts like a list, an object or a string of JSON. */
export function looksLikeJson(cell: string): boolean {
  for (let index = 0; index < cell.length; index += 1) {
    const unit = cell.charCodeAt(index);
    if (unit === QUOTE || isOpening(unit)) return true;
    if (unit > 0x20 && !/\s/.test(cell.charAt(index))) return false;
  }
  return false;
}

function isDeeperThan(text: Buffer, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const byte = text[index] ?? 0;
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (isOpening(byte)) {
      depth += 1;
      if (depth > limit) return true;
    } else if (isClosing(byte)) depth -= 1;
  }
  return false;
}

function isValueDeeperThan(value: Json | undefined, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  if (Array.isArray(value)) {
    for (const entry of value as readonly Json[])
      if (typeof entry === 'object' && isValueDeeperThan(entry, limit - 1)) return true;
    return false;
  }
  const fields = value as JsonObject;
  for (const key in fields) {
    const field = fields[key];
    if (typeof field === 'object' && isValueDeeperThan(field, limit - 1)) return true;
  }
  return false;
}
