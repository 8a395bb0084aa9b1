import { LineSplitter } from '#rows/formats/index.js';
import type { BatchEndpoint } from '#domain/batch/index.js';
import { InvalidError } from '#domain/errors.js';
import { TOKEN_INPUT } from '#calls/input-bounds.js';
import { JsonBoundsError, JsonShape } from '#primitives/text/json-shape.js';
import { ownTurn } from '#primitives/turns/own-turn.js';
import { isRecord } from '#primitives/values.js';

/** Requests of one batch, and bytes of its file. */
const MAX_REQUESTS = 50_000;
export const MAX_BATCH_BYTES = 200 * 1024 * 1024;
/** Bounds of one request: as much as the routes take. */
const MAX_LINE_BYTES = TOKEN_INPUT.bytes;
const MAX_CUSTOM_ID = 512;
const MAX_PROBLEMS = 10;
/** Bytes of lines that are looked at in one turn. */
const BYTES_A_TURN = 256 * 1024;

/**
 * Checks every request of a file before any is executed.
 * @returns their number
 * @throws InvalidError naming the invalid lines, up to a limit
 */
export async function countRequests(content: AsyncIterable<Uint8Array>, endpoint: BatchEndpoint): Promise<number> {
  const splitter = new LineSplitter();
  /** The lines of the ids. */
  const seen = new Map<string, number>();
  const problems: string[] = [];
  let [count, line, spent] = [0, 0, 0];
  const look = async (lines: readonly Buffer[]) => {
    for (const bytes of lines) {
      line += 1;
      if ((spent += bytes.length) > BYTES_A_TURN) {
        spent = 0;
        await ownTurn();
      }
      if (bytes.length > MAX_LINE_BYTES) throw refused([...problems, tooLong(line)]);
      const text = bytes.toString('utf8').trim();
      if (text === '') continue;
      count += 1;
      if (count > MAX_REQUESTS) throw refused([`the file has more than ${MAX_REQUESTS} requests; split it`]);
      const problem = shapeProblemOf(bytes) ?? problemOf(text, endpoint, seen, line);
      if (problem !== null) problems.push(`line ${line}: ${problem}`);
      if (problems.length === MAX_PROBLEMS) throw refused(problems);
    }
  };
  for await (const chunk of content) {
    await look(splitter.push(Buffer.from(chunk)));
    // Before the rest of the line is held in memory.
    if (splitter.unfinished > MAX_LINE_BYTES) throw refused([...problems, tooLong(line + 1)]);
  }
  await look(splitter.end());
  if (problems.length === 0 && count === 0) problems.push('the file has no requests');
  if (problems.length > 0) throw refused(problems);
  return count;
}

/** A worker could not write deeper nesting, and parsing more values would block this process. */
function shapeProblemOf(bytes: Buffer): string | null {
  try {
    new JsonShape(TOKEN_INPUT.values, TOKEN_INPUT.numbersPerValue).read(bytes);
    return null;
  } catch (error) {
    if (error instanceof JsonBoundsError) return `the body ${error.message}`;
    throw error;
  }
}

function problemOf(text: string, endpoint: BatchEndpoint, seen: Map<string, number>, line: number): string | null {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    return 'is not valid JSON';
  }
  if (!isRecord(request)) return 'must be an object {custom_id, method, url, body}';
  const { custom_id: id, method, url, body } = request;
  if (typeof id !== 'string' || id === '' || id.length > MAX_CUSTOM_ID)
    return `custom_id must be a string of 1 to ${MAX_CUSTOM_ID} characters`;
  const before = seen.get(id);
  // By its line: the id may say something that not every key may see.
  if (before !== undefined) return `custom_id is that of line ${before}; give each request its own`;
  seen.set(id, line);
  if (method !== 'POST') return 'method must be POST';
  if (url !== endpoint) return `url must be ${endpoint}, the endpoint of the batch`;
  if (!isRecord(body)) return 'body must be an object';
  if (typeof body.model !== 'string') return 'body.model is required';
  if (body.stream === true) return 'body.stream must be left out: answers of a batch are not streamed';
  return body.background === true ? 'body.background must be left out: a batch is in the background' : null;
}

const tooLong = (line: number): string =>
  `line ${line}: is longer than ${MAX_LINE_BYTES} bytes, the most of one request`;

const refused = (problems: readonly string[]): InvalidError =>
  new InvalidError({ path: ['body', 'input_file_id'], message: problems.join('; '), type: 'not_allowed' });
