import type { DatasetType } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { inference } from './inference.js';
import { ReadingTally } from '../reading.js';
import { RowReader } from '../row-reader.js';

/**
 * Native rows from rows `{text, result}` with answers of `/inference`.
 * @param isMultiLabel whether rows may have several classes
 */
export function answerRows(
  rows: readonly JsonObject[],
  { datasetType, isMultiLabel }: { readonly datasetType: DatasetType; readonly isMultiLabel: boolean },
): readonly JsonObject[] {
  const reader = new RowReader(
    inference,
    { datasetType, assumedUnit: 'code points', isMultiLabel, columns: [], counting: 'usual' },
    new ReadingTally(),
  );
  return rows.flatMap((row, at) => reader.read(at + 1, row).rows);
}
