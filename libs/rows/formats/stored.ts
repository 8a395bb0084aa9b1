import { createHash } from 'node:crypto';
import type { JsonObject } from '#domain/json.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { LineSplitter } from './read/line-splitter.js';

/** Rows between two entries of a row index. */
export const INDEX_STEP = 1000;

/** Offsets of every n-th row in canonical JSONL, so that a page far inside is read without its predecessors. */
export interface RowIndex {
  readonly step: number;
  readonly rows: number;
  /** Bytes before row 0, `step`, 2 * `step`, ... */
  readonly offsets: readonly number[];
}

/** Key of the index, next to the rows. */
export const indexKey = (rowsKey: string): string => `${rowsKey}.index`;

/** A stored index: no event holds its hash, so that it carries one itself. */
export const encodeIndex = (index: RowIndex): Buffer =>
  Buffer.from(JSON.stringify({ ...index, sha256: indexSha256(index) }));

const indexSha256 = ({ step, rows, offsets }: RowIndex): string =>
  createHash('sha256')
    .update(JSON.stringify([step, rows, offsets]))
    .digest('hex');

/**
 * Rows of a stored version in order, from one on (0 is the first). The rows are believed: see `requireWhole`. Without an index
 * that is whole they are counted from the start.
 * @throws ObjectNotFoundError
 */
export async function* storedRows(store: ObjectStore, rowsKey: string, offset = 0): AsyncGenerator<JsonObject> {
  const index = offset >= INDEX_STEP ? await readIndex(store, rowsKey) : null;
  if (index && offset >= index.rows) return;
  const entry = index ? Math.floor(offset / index.step) : 0;
  let skip = offset - entry * (index?.step ?? INDEX_STEP);
  const splitter = new LineSplitter();
  const start = index?.offsets[entry] ?? 0;
  for await (const chunk of await store.get(rowsKey, { start }))
    for (const line of splitter.push(asBuffer(chunk)))
      if (skip > 0) skip -= 1;
      else yield JSON.parse(line.toString()) as JsonObject;
}

async function readIndex(store: ObjectStore, rowsKey: string): Promise<RowIndex | null> {
  try {
    const chunks = await Array.fromAsync(await store.get(indexKey(rowsKey)));
    const index = JSON.parse(Buffer.concat(chunks).toString()) as RowIndex & { readonly sha256?: string };
    return index.sha256 === indexSha256(index) ? index : null;
  } catch (error) {
    if (error instanceof ObjectNotFoundError || error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}

const asBuffer = (chunk: Uint8Array): Buffer =>
  Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
