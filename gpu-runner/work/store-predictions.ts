import type { JsonObject } from '#domain/json.js';
import type { StoredPredictions } from '#domain/evaluation/index.js';
import type { StoredObject } from '#ports/object-store/port.js';
import { INDEX_ENTRY_BYTES, indexKeyOf, PREDICTIONS, wrongKeyOf } from '../contract/predictions.js';
import type { Example } from '../engine/engine.js';
import type { AttemptObjects } from './patient-objects.js';
import { predictionLine } from './predictions.js';

/**
 * Stores the predictions of all rows, those of the wrong rows once more, and an index of each.
 * @param prefix of the attempt
 * @returns the file of all rows
 */
export async function storePredictions(
  store: AttemptObjects,
  prefix: string,
  examples: readonly Example[],
  predictions: readonly Example[],
): Promise<StoredPredictions> {
  const objectKey = `${prefix}/${PREDICTIONS}`;
  function* lines(): Generator<JsonObject> {
    for (const [at, example] of examples.entries())
      yield predictionLine(example, predictions[at] ?? { text: example.text });
  }
  function* wrongLines(): Generator<JsonObject> {
    let row = 0;
    for (const line of lines()) {
      row += 1;
      if (!line['correct']) yield { row, ...line };
    }
  }
  const all = await putIndexed(store, objectKey, lines);
  const wrong = await putIndexed(store, wrongKeyOf(objectKey), wrongLines);
  const { sha256, size } = all.content;
  const totalSize = [all.content, all.index, wrong.content, wrong.index].reduce((sum, each) => sum + each.size, 0);
  return { name: PREDICTIONS, objectKey, sha256, size, totalSize };
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
