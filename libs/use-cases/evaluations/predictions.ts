import { linesOf } from '#rows/formats/index.js';
import type { StoredPredictions } from '#domain/evaluation/index.js';
import type { JsonObject } from '#domain/json.js';
import { storedLines } from '#evaluations/stored-lines.js';
import { INDEX_ENTRY_BYTES, indexKeyOf, wrongKeyOf } from '#gpu-runner/contract/predictions.js';
import type { PageRequest } from '#log/projector/documents.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { MAX_PAGE_BYTES } from '../calls/answer-budget.js';

/** A row with its own labels or answer, and the model's. */
export interface Prediction {
  /** From 1. */
  readonly row: number;
  readonly text: string;
  readonly expected: JsonObject;
  readonly predicted: JsonObject;
  readonly correct: boolean;
}

export interface PredictionPage extends PageRequest {
  /** Counts and gives only the rows that are not right. */
  readonly onlyWrong: boolean;
}

/** Evaluations have fewer rows; an offset beyond means the end. */
const MAX_OFFSET = 2 ** 40;

/**
 * Predictions from one on, each with its row; fewer than `limit` if they exceed the byte limit of a page. Only the page
 * and its part of the index are read. A removed object has none.
 * @param objectKey of the file of all rows
 * @param signal ends the reading when the caller has disconnected
 */
export async function readPredictions(
  store: ObjectStore,
  objectKey: string,
  page: PredictionPage,
  signal: AbortSignal,
): Promise<readonly Prediction[]> {
  if (page.limit === 0) return [];
  try {
    const key = page.onlyWrong ? wrongKeyOf(objectKey) : objectKey;
    return await linesAt(store, key, page, await startsOf(store, key, page), signal);
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return [];
    throw error;
  }
}

/** Offsets of the lines of a page and of the end of the last one, from the file's index. */
async function startsOf(
  store: ObjectStore,
  key: string,
  { offset, limit }: PredictionPage,
): Promise<readonly number[]> {
  const first = Math.min(offset, MAX_OFFSET);
  const range = { start: first * INDEX_ENTRY_BYTES, end: (first + limit + 1) * INDEX_ENTRY_BYTES };
  const bytes = Buffer.concat(await Array.fromAsync(await store.get(indexKeyOf(key), range)));
  return Array.from({ length: bytes.length / INDEX_ENTRY_BYTES }, (_, line) =>
    Number(bytes.readBigUInt64LE(line * INDEX_ENTRY_BYTES)),
  );
}

async function linesAt(
  store: ObjectStore,
  key: string,
  { offset }: PredictionPage,
  starts: readonly number[],
  signal: AbortSignal,
): Promise<readonly Prediction[]> {
  const [start] = starts;
  if (start === undefined || starts.length === 1) return [];
  const end = starts.slice(1).find((each) => each - start > MAX_PAGE_BYTES) ?? starts.at(-1)!;
  const found: Prediction[] = [];
  for await (const line of linesOf(await store.get(key, { start, end }), signal))
    found.push({ row: offset + found.length + 1, ...(JSON.parse(line.toString()) as Omit<Prediction, 'row'>) });
  return found;
}

/** The end of a line that is not right: `correct` is its last key, so no other line needs to be parsed. */
const WRONG = Buffer.from('"correct":false}');

/**
 * Whether each row is right, in row order.
 * @throws the result of `damaged` if the object is missing or another one
 */
export async function* rightRows(
  store: ObjectStore,
  predictions: Pick<StoredPredictions, 'objectKey' | 'sha256'>,
  damaged: () => Error,
  signal: AbortSignal,
): AsyncGenerator<boolean> {
  for await (const line of storedLines(store, predictions, damaged, signal))
    yield !line.subarray(-WRONG.length).equals(WRONG);
}
