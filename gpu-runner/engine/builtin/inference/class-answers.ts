import type { ClassHit, ClassificationQuery, InferWarning } from '../../engine.js';
import { conceptWords } from '../labels/index.js';
import { zeroShotClassifier, type ClassificationHead } from '../classification/index.js';
import { matcherOf } from './labels.js';

/** A classification query with what answers it. */
export interface ClassPlan {
  readonly task: string;
  readonly warnings: readonly InferWarning[];
  answer(text: string): readonly ClassHit[];
}

/**
 * The trained head answers where every label of the query is one that it learned; among others it cannot choose, so that
 * label names and word lists must do, at low confidence and with a warning.
 * @param threshold of a query without one of its own
 */
export function planClassification(
  query: ClassificationQuery,
  head: ClassificationHead | null,
  threshold: number,
): ClassPlan {
  const labels = [...new Set(query.labels)];
  const learned = head === null ? null : learnedIndices(labels, head);
  const select = (confidences: ArrayLike<number>) =>
    selectHits(
      labels.map((label, index) => ({ label, confidence: confidences[index]! })),
      query,
      threshold,
    );
  if (head !== null && learned !== null)
    return { task: query.task, warnings: [], answer: (text) => select(trainedConfidences(text, head, learned, query)) };
  const confidencesOf = zeroShotClassifier(labels, query.multiLabel, conceptWords);
  return {
    task: query.task,
    warnings: [zeroShotWarning(query.task, head)],
    answer: (text) => select(confidencesOf(text)),
  };
}

/** Index in the head of each label, or null when one of them is unknown to it. */
function learnedIndices(labels: readonly string[], head: ClassificationHead): readonly number[] | null {
  const matching = matcherOf(head.labels);
  const indexOf = new Map(head.labels.map((label, index) => [label, index]));
  const indices = labels.map((label) => indexOf.get(matching(label) ?? '') ?? -1);
  return indices.includes(-1) ? null : indices;
}

/**
 * Probabilities of the labels asked for. When one is to be chosen they are made to sum to 1; when several may apply, a head
 * that learned to choose one keeps the shares it gave them among all it knows.
 */
function trainedConfidences(
  text: string,
  head: ClassificationHead,
  learned: readonly number[],
  query: ClassificationQuery,
): ArrayLike<number> {
  if (!query.multiLabel) return head.probabilities(text, learned);
  const all = head.probabilities(text);
  return learned.map((index) => all[index]!);
}

function selectHits(hits: ClassHit[], query: ClassificationQuery, threshold: number): readonly ClassHit[] {
  const best = hits.sort((a, b) => b.confidence - a.confidence);
  if (query.topK !== undefined) return best.slice(0, query.topK);
  if (!query.multiLabel) return best.slice(0, 1);
  return best.filter((hit) => hit.confidence >= (query.threshold ?? threshold));
}

function zeroShotWarning(task: string, head: ClassificationHead | null): InferWarning {
  const why = head === null ? 'The model has no trained classifier' : 'The classifier was not trained on these labels';
  return {
    code: 'zero_shot_classification',
    message:
      `${why}: "${task}" is judged by label names and word lists, at low confidence. ` +
      'Train a model with examples of these labels.',
  };
}
