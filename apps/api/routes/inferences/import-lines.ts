import { hash } from 'node:crypto';
import { LineSplitter } from '#rows/formats/index.js';
import { ownTurn } from '#primitives/turns/own-turn.js';
import { isRecord } from '#primitives/values.js';
import { InvalidError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { reasonOf, type NumberedLine, type Reason } from '#use-cases/inferences/commands/import.js';
import { FORMATS, OWN_FORMAT, type FormatName } from '#use-cases/inferences/formats/index.js';
import { parsedBody } from '../../edge/body/body-reader.js';
import { JsonBoundsError, JsonShape } from '#primitives/text/json-shape.js';
import { HttpError } from '../../edge/errors/index.js';
import { RequestValidationPipe } from '../../edge/validation/index.js';
import { ImportedLine } from './import-dto.js';

/** Limits of one request. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_LINES = 10_000;
/** Above the largest line of an export. */
const MAX_LINE_BYTES = 512 * 1024;
const MAX_LINE_VALUES = 25_000;

/**
 * The lines of a file that are not blank, each checked on its own.
 * @param format the system whose export the lines are
 * @param announced length of the file; null if unknown
 * @throws HttpError 413 beyond the limits of a request
 */
export function importedLines(
  content: AsyncIterable<Uint8Array>,
  announced: number | null,
  format: FormatName,
): AsyncIterable<NumberedLine> {
  if ((announced ?? 0) > MAX_BYTES) throw tooLarge(TOO_MANY_BYTES, 0);
  return linesOf(content, format);
}

async function* linesOf(content: AsyncIterable<Uint8Array>, format: FormatName): AsyncGenerator<NumberedLine> {
  const splitter = new LineSplitter();
  let [number, size, isCut] = [0, 0, false];
  const read = async (bytes: Buffer): Promise<NumberedLine[]> => {
    if (number === MAX_LINES) throw tooLarge(`${MAX_LINES} lines`, number);
    const isLong = isCut || bytes.length > MAX_LINE_BYTES;
    isCut = false;
    number += 1;
    if (isLong) return [{ number, id: null, line: TOO_LONG }];
    return isBlank(bytes) ? [] : [{ number, ...(await lineOf(bytes, format)) }];
  };
  for await (const chunk of content) {
    if ((size += chunk.length) > MAX_BYTES) throw tooLarge(TOO_MANY_BYTES, number);
    for (const line of splitter.push(Buffer.from(chunk))) yield* await read(line);
    if (splitter.unfinished <= MAX_LINE_BYTES) continue;
    splitter.end();
    isCut = true;
  }
  const [rest = Buffer.alloc(0)] = splitter.end();
  if (isCut || rest.length > 0) yield* await read(rest);
}

const TOO_MANY_BYTES = `${MAX_BYTES / 1024 / 1024} MiB`;
const TOO_LONG: Reason = { field: null, reason: `the line is larger than ${MAX_LINE_BYTES / 1024} KiB` };

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);

const pipe = new RequestValidationPipe();

async function lineOf(bytes: Buffer, format: FormatName): Promise<Omit<NumberedLine, 'number'>> {
  let value: unknown = null;
  const id = () => (isRecord(value) ? idIn(value) : null);
  try {
    await ownTurn();
    new JsonShape(MAX_LINE_VALUES).read(bytes);
    value = parsedBody(bytes, 'line');
    const read = format === OWN_FORMAT || !isRecord(value) ? null : FORMATS[format].read(value as JsonObject);
    if (read) value = read.line;
    const fields = pipe.transform(value, { type: 'body', metatype: ImportedLine }) as ImportedLine;
    const digest = hash('sha256', JSON.stringify(read ? withoutFeedback(read.line) : value));
    return { id: id(), line: { fields, digest, ...(read && { others: read.origin }) } };
  } catch (error) {
    if (error instanceof JsonBoundsError) return { id: id(), line: { field: null, reason: error.message } };
    if (error instanceof InvalidError) return { id: id(), line: reasonOf(error) };
    if (!(error instanceof HttpError)) throw error;
    const [first] = error.options.errors ?? [];
    const reason = first
      ? { field: first.loc.slice(1).join('.') || null, reason: first.msg }
      : { field: null, reason: error.message };
    return { id: id(), line: reason };
  }
}

/** The id of a line, or of a row of another system, which may be read no further. */
function idIn(row: Readonly<Record<string, unknown>>): string | null {
  const id = ['id', 'request_id', 'inference_id', 'response_id'].map((name) => row[name]).find(Boolean);
  return typeof id === 'string' ? id.slice(0, 200) : null;
}

/** The call alone: a later export has more feedback, and other times and addresses of its own. */
const withoutFeedback = (line: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(line).filter(([name]) => !name.startsWith('human_') && name !== 'reviewer'));

const tooLarge = (limit: string, taken: number): HttpError =>
  new HttpError(
    413,
    `an import may have at most ${limit}; ` +
      (taken === 0
        ? 'no line was imported: send the lines in several requests'
        : `lines 1 to ${taken} were processed: send the others in further requests`),
    { code: 'request_too_large' },
  );
