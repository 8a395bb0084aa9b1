import type { Contents } from '#domain/dataset/index.js';
import { UnreadableFileError } from '../limits.js';
import { TASK_COLUMN } from './class-tasks.js';

/**
 * Refuses labels that are mostly all numbers from 0 or 1 up, be they written as `1.0`, and numbers some of which are negative or
 * no integers: in a file without types they most likely stand for names.
 * @throws UnreadableFileError
 */
export function refuseNumbers(
  { classLabels, multiLabel, classTasks }: Contents,
  isNamed: (column: string) => boolean,
): void {
  const columns = classTasks?.map((task) => ({ ...task, column: TASK_COLUMN + task.name })) ?? [
    { column: 'label', labels: classLabels, multiLabel },
  ];
  for (const { column, labels, multiLabel: isList } of columns)
    if (!isList && !isNamed(column)) refuseNumbersIn(column, labels);
}

const MAX_SHOWN_NUMBERS = 5;

function refuseNumbersIn(column: string, labels: readonly string[]): void {
  if (!labels.every((label) => /^[+-]?\d{1,9}(?:\.\d+)?$/.test(label))) return;
  const example = (names: readonly string[]) => JSON.stringify({ [column]: names });
  const numbers = labels.map(Number).sort((a, b) => a - b);
  const { length } = numbers;
  const last = numbers.at(-1) ?? 0;
  if (numbers.some((number) => number < 0 || !Number.isInteger(number))) {
    const sorted = labels.toSorted((a, b) => Number(a) - Number(b));
    const shown = sorted.slice(0, MAX_SHOWN_NUMBERS);
    const others = length > shown.length ? ', and so on' : '';
    throw new UnreadableFileError(
      `the labels are the numbers ${shown.join(', ')}${others}, which most likely stand for names: write the names instead (label_names has ` +
        `names for 0, 1 and so on, and -1 is no label then); ${example(shown)}${others} as label_names keeps the numbers as labels`,
    );
  }
  if (length < 2 || last > length + 1) return;
  const kept = Array.from({ length: Math.min(3, last + 1) }, (_, number) => String(number));
  const more = last > 2 ? ', and so on' : '';
  throw new UnreadableFileError(
    `the labels are the numbers ${numbers[0]} to ${last}, which most likely stand for names: say them with label_names` +
      `${numbers[0] === 0 ? '' : ', the name of 0 first'}, as in ${example(['negative', 'positive'])}; ${example(kept)}${more} keeps the numbers as labels`,
  );
}
