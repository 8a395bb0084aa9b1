import { LineSplitter } from '#dataset-formats/index.js';
import type { JsonObject } from '#domain/json.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { MAX_PAGE_BYTES } from '../answer-budget.js';

interface PredictionPage {
  readonly offset: number;
  readonly limit: number;
  /** Counts and gives only the rows that are not right. */
  readonly onlyWrong: boolean;
}

/** The end of a line that is not right: `correct` is its last key, so no other line needs to be parsed. */
const WRONG = Buffer.from('"correct":false}');

/**
 * Lines of a JSONL object from one on, each with its row, read no further than needed; fewer than `limit` where they pass the bound
 * of a page's bytes. An object that is gone has none.
 * @param signal ends the reading when nobody waits for it any more
 */
export async function readPredictions(
  store: ObjectStore,
  objectKey: string,
  { offset, limit, onlyWrong }: PredictionPage,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  if (limit === 0) return found;
  let row = 0;
  let skip = offset;
  let bytes = 0;
  try {
    for await (const line of linesOf(await store.get(objectKey), signal)) {
      row += 1;
      if (onlyWrong && !line.subarray(-WRONG.length).equals(WRONG)) continue;
      if (skip > 0) {
        skip -= 1;
        continue;
      }
      found.push({ row, ...(JSON.parse(line.toString()) as JsonObject) });
      bytes += line.length;
      if (found.length === limit || bytes > MAX_PAGE_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof ObjectNotFoundError)) throw error;
  }
  return found;
}

async function* linesOf(content: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Buffer> {
  const splitter = new LineSplitter();
  for await (const chunk of content) {
    signal.throwIfAborted();
    yield* splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)).filter(hasContent);
  }
  yield* splitter.end();
}

const hasContent = (line: Buffer): boolean => line.length > 0;
