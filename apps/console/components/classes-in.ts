import { RELATIONS } from './editor/output.js';
import { isRecord } from './json.js';

/** A class that an answer gives to a text. */
export interface Chosen {
  readonly task: string;
  readonly label: string;
  readonly confidence: number | undefined;
}

/** The classes of an answer, the first of which a list shows. */
export const classesIn = (output: unknown): readonly Chosen[] =>
  isRecord(output)
    ? Object.entries(output).flatMap(([task, value]) =>
        task === 'entities' || task === RELATIONS ? [] : (chosenIn(task, value) ?? []),
      )
    : [];

/** @returns null for any other answer than classes */
export function chosenIn(task: string, value: unknown): readonly Chosen[] | null {
  const each: readonly unknown[] = Array.isArray(value) ? value : [value];
  const read = each.map((one): Chosen | null => {
    if (typeof one === 'string') return { task, label: one, confidence: undefined };
    if (!isRecord(one) || typeof one['label'] !== 'string') return null;
    const { label, confidence } = one;
    return { task, label, confidence: typeof confidence === 'number' ? confidence : undefined };
  });
  return read.every((one) => one !== null) ? read : null;
}
