import type { JsonObject } from '#domain/json.js';
import type { TaskOfFile } from '../layout.js';
import { inference } from './inference.js';
import { ReadingTally } from '../reading.js';
import { RowReader, type ReadingSettings } from '../row-reader.js';

/**
 * Native rows from rows `{text, result}` with answers of `/inference`.
 * @param settings `isMultiLabel`: whether rows may have several classes; `classTasks`: the tasks, if there are several
 */
export function answerRows(
  rows: readonly JsonObject[],
  settings: Pick<ReadingSettings, 'datasetType' | 'isMultiLabel' | 'classTasks'>,
): readonly JsonObject[] {
  const reader = new RowReader(
    inference,
    { ...settings, assumedUnit: 'code points', columns: [], counting: 'usual' },
    new ReadingTally(),
  );
  return rows.flatMap((row, at) => reader.read(at + 1, row).rows);
}

/** The classification tasks in such rows, if some are known or named, or these rows have several; else null. */
export function tasksOfAnswers(
  rows: readonly JsonObject[],
  known: readonly TaskOfFile[] | null,
): readonly TaskOfFile[] | null {
  const tally = new ReadingTally();
  const reader = new RowReader(
    inference,
    {
      datasetType: 'classification',
      isMultiLabel: null,
      classTasks: null,
      assumedUnit: 'code points',
      columns: [],
      counting: 'usual',
    },
    tally,
  );
  rows.forEach((row, at) => reader.read(at + 1, row));
  const names = new Set(known?.map(({ name }) => name));
  const named = inference.tasksIn!(rows).filter(({ name }) => !names.has(name));
  return tally.tasksWith([...(known ?? []), ...named]);
}
