import type { Example, TrainMetrics } from '../../engine.js';
import type { AdapterArtifact } from '../artifact/index.js';
import { confidencesOf, createModel, loadHeads, type LoadedBase } from '../inference/index.js';
import { headOfTask } from '../task-heads.js';
import type { Merit } from './heads.js';
import type { EpochRecord } from './run-state.js';

/** Figures reported for an epoch or a checkpoint. */
export type EpochFigures = Pick<EpochRecord, 'trainingLoss' | 'validationLoss' | 'f1'>;

export type HeldOutFigures = Omit<TrainMetrics, `${string}Loss`>;

/**
 * Figures of weights in their served form; rows that were trained on have none.
 * @param heads names of those that the job trains
 */
export function figuresOf(
  base: LoadedBase,
  artifact: AdapterArtifact,
  heads: readonly string[],
  validation: readonly Example[],
  onExample: () => void,
): HeldOutFigures {
  const rows = validation.map((row) => judgeable(row, artifact));
  const unmeasured = Object.fromEntries(heads.map((name) => [name, NO_HEAD_FIGURES]));
  const isJudged = rows.some((row) => Object.keys(row).length > 1);
  if (!isJudged) return { ...UNMEASURED, heads: unmeasured };
  const { figures } = createModel(base, artifact.heads, 0).evaluate(rows, onExample);
  return { ...figures, heads: { ...unmeasured, ...figures.heads } };
}

/** As `figuresOf`, with the figures of confidences. */
export function finalFiguresOf(...given: Parameters<typeof figuresOf>): HeldOutFigures {
  const [base, artifact, , validation, onExample] = given;
  const { heads, ...figures } = figuresOf(...given);
  const rows = validation.map((row) => judgeable(row, artifact));
  const confidences = confidencesOf(loadHeads(base, artifact.heads), rows, onExample);
  const withConfidence = ([name, measured]: [string, HeldOutFigures['heads'][string]]) => {
    const confidence = confidences[name];
    return [name, { ...measured, ...(confidence && { confidence }) }] as const;
  };
  return { ...figures, heads: Object.fromEntries(Object.entries(heads).map(withConfidence)) };
}

const UNMEASURED = { f1: null, precision: null, recall: null, macroF1: null, accuracy: null, perLabel: {} };
const NO_HEAD_FIGURES = { f1: null, precision: null, recall: null, accuracy: null };

/** A row without the labels of heads that no row could teach the model, and that need training. */
function judgeable({ structures, relations, tasks, ...row }: Example, { heads }: AdapterArtifact): Example {
  const learned = tasks?.filter(({ task }) => heads[headOfTask(task)]) ?? [];
  return {
    ...row,
    ...(learned.length > 0 && { tasks: learned }),
    ...(structures && heads['structures'] && { structures }),
    ...(relations && heads['relations'] && { relations }),
  };
}

/** Higher F1, and of equals the lower loss: small validation sets give many ties. */
export function isBetter(a: Merit, b: Merit): boolean {
  return a.f1 > b.f1 || (a.f1 === b.f1 && a.loss < b.loss);
}

/** A plain copy that is JSON by type. */
export function plain(metrics: TrainMetrics) {
  const { perLabel, heads, ...figures } = metrics;
  return {
    ...figures,
    perLabel: Object.fromEntries(Object.entries(perLabel).map(([label, values]) => [label, { ...values }])),
    heads: Object.fromEntries(Object.entries(heads).map(([head, values]) => [head, { ...values }])),
  };
}
