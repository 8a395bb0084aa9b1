import type { ClassHit, ClassificationQuery, InferWarning } from '../../engine.js';
import type { Steps } from '../../steps.js';
import {
  isBeyondReading,
  zeroShotClassifier,
  type ClassificationHead,
  type NameVectors,
} from '../classification/index.js';
import { conceptWords } from '../labels/index.js';
import type { WordTable } from '../word-table/word-table.js';
import { DEFAULT_THRESHOLD, taskFor } from '../../evaluation-queries.js';
import { matcherOf } from '../../matching-labels.js';
import type { ModelHeads, TrainedTask } from './heads.js';

/** A classification query with what answers it. */
export interface ClassPlan {
  readonly task: string;
  readonly warnings: readonly InferWarning[];
  /** The trained classifier, if it answers; it ignores descriptions. */
  readonly head: TrainedTask | null;
  answer(text: string): ClassAnswer;
}

interface ClassAnswer {
  readonly hits: readonly ClassHit[];
  /** True when the end of the text was not read. */
  readonly truncated: boolean;
}

/** Judges the labels of a query: one confidence for each. */
interface Judge {
  readonly warnings: readonly InferWarning[];
  readonly readsVectors: boolean;
  /** Confidence from which one of several labels counts if no threshold is given. */
  readonly decisionPoint: number;
  readonly confidences: (text: string) => ArrayLike<number>;
}

/**
 * The trained head of the task, else the one that knows the most of the labels, answers if it has learned every label of the query; it cannot choose among others. Else the vectors
 * of the label names choose one, if the base has an encoder; else label names, word lists and a table of words do, at
 * low confidence.
 * @param threshold of a query without one of its own
 */
export function* planClassification(
  query: ClassificationQuery,
  {
    classes,
    names,
    base: { table },
  }: Pick<ModelHeads, 'classes' | 'names'> & { readonly base: Pick<ModelHeads['base'], 'table'> },
  threshold: number | null,
): Steps<ClassPlan> {
  const labels = [...new Set(query.labels)];
  const head = taskFor(classes, query.task, labels);
  const trained = trainedJudge(labels, query, head);
  const { warnings, readsVectors, decisionPoint, confidences } =
    trained ?? (names === null ? surfaceJudge(labels, query, head, table) : yield* judgeByNames(labels, query, names));
  return {
    task: query.task,
    warnings,
    head: trained && head,
    answer(text) {
      const found = confidences(text);
      const hits = labels.map((label, index) => ({ label, confidence: found[index]! }));
      return {
        hits: selectHits(hits, query, query.threshold ?? threshold ?? decisionPoint),
        truncated: isBeyondReading(text) || (readsVectors && names?.encoder.isTooLong(text) === true),
      };
    },
  };
}

/** Null if the head did not learn all of the labels. */
function trainedJudge(
  labels: readonly string[],
  query: ClassificationQuery,
  head: ClassificationHead | null,
): Judge | null {
  const learned = head === null ? null : learnedIndices(labels, head);
  if (head === null || learned === null) return null;
  return {
    warnings: [],
    readsVectors: head.readsVectors,
    decisionPoint: head.decisionPoint,
    confidences: (text) => trainedConfidences(text, head, learned, query),
  };
}

function* judgeByNames(labels: readonly string[], query: ClassificationQuery, names: NameVectors): Steps<Judge> {
  const confidences = yield* names.over(labels, query.multiLabel, descriptionsOf(query));
  const message =
    `"${query.task}" is judged by the meaning of the ${namesOf(query)}. ` +
    'A model that is trained with examples of these labels is better.';
  return {
    warnings: [{ code: 'zero_shot_classification', message }],
    readsVectors: true,
    decisionPoint: DEFAULT_THRESHOLD,
    confidences,
  };
}

const surfaceJudge = (
  labels: readonly string[],
  query: ClassificationQuery,
  head: ClassificationHead | null,
  table: WordTable | null,
): Judge => ({
  warnings: [zeroShotWarning(query, head)],
  readsVectors: false,
  decisionPoint: DEFAULT_THRESHOLD,
  confidences: zeroShotClassifier(labels, query.multiLabel, conceptWords, table, descriptionsOf(query)),
});

/** Index in the head of each label, or null when one of them is unknown to it. */
function learnedIndices(labels: readonly string[], head: ClassificationHead): readonly number[] | null {
  const matching = matcherOf(head.labels);
  const indexOf = new Map(head.labels.map((label, index) => [label, index]));
  const indices = labels.map((label) => indexOf.get(matching(label) ?? '') ?? -1);
  return indices.includes(-1) ? null : indices;
}

/**
 * Probabilities of the requested labels. If one is to be chosen they are scaled to sum to 1; if several may apply, a
 * head that learned to choose one keeps the shares it gave them among all it knows.
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
  return best.filter((hit) => hit.confidence >= threshold);
}

const descriptionsOf = ({ descriptions = [] }: ClassificationQuery): ReadonlyMap<string, string> =>
  new Map(descriptions.map(({ label, description }) => [label, description]));

/** The names of a query's labels, as warnings call them. */
const namesOf = ({ descriptions = [] }: ClassificationQuery): string =>
  descriptions.length > 0 ? 'label names and descriptions' : 'label names';

function zeroShotWarning(query: ClassificationQuery, head: ClassificationHead | null): InferWarning {
  const why = head === null ? 'The model has no trained classifier' : 'The classifier was not trained on these labels';
  return {
    code: 'zero_shot_classification',
    message:
      `${why}: "${query.task}" is judged by ${namesOf(query)} and word lists, at low confidence. ` +
      'Train a model with examples of these labels.',
  };
}
