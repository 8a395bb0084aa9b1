import type { ClassHit, ClassificationQuery, EntityHit, Example, Prediction } from './engine.js';
import { matcherOf } from './matching-labels.js';

/** Confidence from which an answer counts as found if neither the request nor the head says. */
export const DEFAULT_THRESHOLD = 0.5;
/** Name of the label group of a trained model's own labels. */
export const OWN_TASK = 'classification';

/**
 * A classifier that knows any of the examples' labels answers with all its labels, and is wrong on the others; any
 * other is judged on choosing among the examples' labels unseen.
 */
export function classQueryOf(
  learned: readonly string[],
  multiLabel: boolean,
  examples: readonly Example[],
): ClassificationQuery {
  const rows = examples.flatMap(({ labels }) => (labels === undefined ? [] : [labels]));
  const matching = matcherOf(learned);
  const known = rows.flat().filter((label) => matching(label) !== null);
  return known.length > 0
    ? { task: OWN_TASK, labels: union(known, learned), multiLabel }
    : { task: OWN_TASK, labels: union(rows.flat(), []), multiLabel: rows.some((labels) => labels.length !== 1) };
}

/** The labels as the examples write them, and those of the model that the examples lack. */
export function union(gold: readonly string[], learned: readonly string[]): readonly string[] {
  const written = [...new Set(gold)].toSorted();
  const matching = matcherOf(written);
  return [...written, ...learned.filter((label) => matching(label) === null)];
}

export function foundEntities(hits: readonly EntityHit[]): Pick<Prediction, 'entities' | 'entityConfidences'> {
  const inOrder = hits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  return {
    entities: inOrder.map(({ start, end, label }) => ({ start, end, label })),
    entityConfidences: inOrder.map(({ confidence }) => confidence),
  };
}

export const foundLabels = (hits: readonly ClassHit[]): Pick<Prediction, 'labels' | 'labelConfidences'> => ({
  labels: hits.map(({ label }) => label),
  labelConfidences: hits.map(({ confidence }) => confidence),
});
