import type { JsonObject } from '#domain/json.js';
import type { StoredPredictions } from '#domain/evaluation/index.js';
import type { StoredObject } from '#ports/object-store/port.js';
import {
  COUNT_BYTES,
  countsKeyOf,
  factsKeyOf,
  INDEX_ENTRY_BYTES,
  indexKeyOf,
  PREDICTIONS,
  wrongKeyOf,
} from '../../contract/predictions.js';
import type { AttemptObjects } from '../patient-objects.js';

/** Counts that each row adds to the figures, by which two evaluations are compared. */
interface RowCounts {
  /** Only of generated answers. */
  readonly counts?: readonly Float64Array[] | undefined;
  /** Only of labels: a line for each row, the same each time. */
  readonly facts?: (() => Iterable<JsonObject>) | undefined;
}

/**
 * Stores the predictions of all rows, those of the wrong rows once more, and an index of each.
 * @param prefix of the attempt
 * @param lines yields a line `{text, expected, predicted, correct}` for each row, the same each time
 * @returns the file of all rows
 */
export async function storePredictions(
  store: AttemptObjects,
  prefix: string,
  lines: () => Iterable<JsonObject>,
  { counts, facts }: RowCounts = {},
): Promise<StoredPredictions & { readonly totalSize: number }> {
  const objectKey = `${prefix}/${PREDICTIONS}`;
  function* wrongLines(): Generator<JsonObject> {
    let row = 0;
    for (const line of lines()) {
      row += 1;
      if (!line['correct']) yield { row, ...line };
    }
  }
  const all = await putIndexed(store, objectKey, lines);
  const wrong = await putIndexed(store, wrongKeyOf(objectKey), wrongLines);
  const counted = counts && (await store.put(countsKeyOf(objectKey), bytesOf(counts)));
  const labelled = facts && (await store.put(factsKeyOf(objectKey), jsonLinesOf(facts)));
  const { key: _, ...content } = all.content;
  const beside = [all.index, wrong.content, wrong.index, counted, labelled].filter((each) => each !== undefined);
  const totalSize = [all.content, ...beside].reduce((sum, each) => sum + each.size, 0);
  return {
    ...{ name: PREDICTIONS, objectKey, ...content, totalSize, beside },
    ...(counted && { countsSha256: counted.sha256 }),
    ...(labelled && { factsSha256: labelled.sha256 }),
  };
}

const jsonLinesOf = (lines: () => Iterable<JsonObject>): AsyncIterable<Uint8Array> => ({
  async *[Symbol.asyncIterator]() {
    for (const line of lines()) yield Buffer.from(`${JSON.stringify(line)}\n`);
  },
});

const ROWS_A_CHUNK = 1_000;

const bytesOf = (counts: readonly Float64Array[]): AsyncIterable<Uint8Array> => ({
  async *[Symbol.asyncIterator]() {
    for (let at = 0; at < counts.length; at += ROWS_A_CHUNK) yield doublesOf(counts.slice(at, at + ROWS_A_CHUNK));
  },
});

function doublesOf(rows: readonly Float64Array[]): Buffer {
  const width = rows[0]?.length ?? 0;
  const bytes = Buffer.alloc(rows.length * width * COUNT_BYTES);
  rows.forEach((row, at) =>
    row.forEach((count, index) => bytes.writeDoubleLE(count, (at * width + index) * COUNT_BYTES)),
  );
  return bytes;
}

/** @param lines gives the same each time: an outage may end in a second reading */
async function putIndexed(
  store: AttemptObjects,
  key: string,
  lines: () => Iterable<JsonObject>,
): Promise<{ readonly content: StoredObject; readonly index: StoredObject }> {
  let starts: number[] = [];
  const content = await store.put(key, {
    async *[Symbol.asyncIterator]() {
      let at = 0;
      starts = [at];
      for (const line of lines()) {
        const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
        at += bytes.length;
        starts.push(at);
        yield bytes;
      }
    },
  });
  const bytes = Buffer.alloc(starts.length * INDEX_ENTRY_BYTES);
  starts.forEach((start, line) => bytes.writeBigUInt64LE(BigInt(start), line * INDEX_ENTRY_BYTES));
  return { content, index: await store.put(indexKeyOf(key), bytes) };
}
