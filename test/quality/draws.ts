import { Random } from '#gpu-runner/engines/builtin/random.js';
import type { Example } from '#gpu-runner/engines/engine.js';
import { splitHeldOut } from '#gpu-runner/work/rows/held-out.js';
import type { DataSet, RowCount } from './sets.js';

/** As a training job does by default. */
const VALIDATION_SHARE = 0.1;

export interface Draw {
  readonly train: readonly Example[];
  readonly validation: readonly Example[];
}

/**
 * So many training rows, chosen by the number of the draw alone: every system gets the same rows, in the same order, and the same part
 * of them to choose by. A smaller draw is a part of a larger one with the same number.
 * @param draw from 1
 */
export function drawOf(rows: readonly Example[], count: RowCount, draw: number): Draw {
  const shuffled = new Random(draw).shuffle([...rows]);
  const { train, heldOut } = splitHeldOut(
    count === 'all' ? shuffled : shuffled.slice(0, count),
    VALIDATION_SHARE,
    draw,
  );
  return { train, validation: heldOut };
}

/** The input of a trial, for any system: JSON lines. The answers to the test rows are not among them. */
export function inputOf(set: DataSet, count: RowCount, draw: number): string {
  const { train, validation } = drawOf(set.train(), count, draw);
  return [
    ...train.map((row) => ({ part: 'train', ...row })),
    ...validation.map((row) => ({ part: 'validation', ...row })),
    ...set.test().map(({ text }) => ({ part: 'test', text })),
  ]
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');
}
