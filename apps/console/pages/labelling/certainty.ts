import type { Annotation } from '../../components/editor/annotation.js';
import { isRecord } from '../../components/json.js';

/** A model's answer to a row. */
export interface Answered {
  readonly annotation: Annotation;
  /** The least of all in it, 0 to 1; null if nothing was found. */
  readonly confidence: number | null;
}

/** The least confidence that an answer tells, of any head; null if it tells none. */
export function leastConfidence(output: unknown): number | null {
  if (Array.isArray(output)) return least(output.map(leastConfidence));
  if (!isRecord(output)) return null;
  const { confidence, ...rest } = output;
  return least([typeof confidence === 'number' ? confidence : null, ...Object.values(rest).map(leastConfidence)]);
}

const least = (values: readonly (number | null)[]): number | null =>
  values.reduce((one, other) => (one === null || other === null ? (one ?? other) : Math.min(one, other)), null);

/** Rows in the order in which a person gains most by seeing them: what the model found nothing in, then by confidence. */
export const uncertainFirst = (
  indexes: readonly number[],
  answered: ReadonlyMap<number, Answered>,
): readonly number[] => indexes.toSorted((a, b) => certaintyOf(answered.get(a)) - certaintyOf(answered.get(b)));

/** Rows that were not asked about come last. */
const certaintyOf = (answer: Answered | undefined): number => (answer ? (answer.confidence ?? 0) : 2);
