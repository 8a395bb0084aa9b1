import { TrainingError, type Example, type TrainSettings } from '../../engine.js';
import { createClassificationTrainer } from '../classification/index.js';
import { createEntityTrainer, type BaseTagger, type LabelResolver } from '../entities/index.js';
import type { HeadState, HeadTrainer, HeadTrainerInput } from '../head.js';

export const headNames = ['entities', 'classification'] as const;
export type HeadName = (typeof headNames)[number];

/** One head of a job in training. */
export interface JobHead {
  readonly name: HeadName;
  readonly trainer: HeadTrainer;
  /** Training rows that say something about this head. */
  readonly trainRows: number;
  readonly validationRows: number;
  /** Entities or class labels in the validation rows: the weight of this head's F1 in the pooled one. */
  readonly validationFacts: number;
}

export interface JobInput {
  readonly settings: TrainSettings;
  readonly train: readonly Example[];
  readonly validation: readonly Example[];
  /** Heads of the adapter that is continued; empty when the job starts at the base. */
  readonly startFrom: Readonly<Record<string, HeadState>>;
  readonly base: BaseTagger;
  readonly resolveLabel: LabelResolver;
  readonly log: (message: string) => void;
}

/**
 * A trainer for each head that the rows are labelled for, entities first.
 * @throws TrainingError when there is none, or when one of them cannot be learned
 */
export function createHeads(input: JobInput): readonly JobHead[] {
  const names = headNames.filter((name) => input.train.some((row) => isLabelledFor(name, row)));
  if (names.length === 0)
    throw new TrainingError('No training row is labelled: rows need "entities", or "label" or "labels".');
  return names
    .filter((name) => names.length === 1 || isWorthTraining(name, input))
    .map((name) => createHead(name, input));
}

/** In a job that has classes too, rows whose entity lists are all empty are not meant to train a finder of entities. */
function isWorthTraining(name: HeadName, { train, log }: JobInput): boolean {
  if (name !== 'entities' || train.some((row) => (row.entities?.length ?? 0) > 0)) return true;
  log('No row holds an entity: only the classifier is trained.');
  return false;
}

function createHead(
  name: HeadName,
  { settings, train, validation, startFrom, base, resolveLabel, log }: JobInput,
): JobHead {
  const labelledTrain = train.filter((row) => isLabelledFor(name, row));
  const labelledValidation = validation.filter((row) => isLabelledFor(name, row));
  if (labelledValidation.length === 0)
    log(`No validation row is labelled for ${name}: it is judged on its training rows, which flatters it.`);
  const judged = labelledValidation.length === 0 ? labelledTrain : labelledValidation;
  const input: HeadTrainerInput = {
    settings,
    train: labelledTrain,
    validation: judged,
    startFrom: startFrom[name] ?? null,
    log,
  };
  return {
    name,
    trainer: name === 'entities' ? createEntityTrainer(input, base, resolveLabel) : createClassificationTrainer(input),
    trainRows: labelledTrain.length,
    validationRows: judged.length,
    validationFacts: judged.reduce((sum, row) => sum + (factsOf(name, row)?.length ?? 0), 0),
  };
}

function isLabelledFor(name: HeadName, row: Example): boolean {
  return factsOf(name, row) !== undefined;
}

function factsOf(name: HeadName, row: Example): readonly unknown[] | undefined {
  return name === 'entities' ? row.entities : row.labels;
}

export interface JobValidation {
  /** Mean negative log likelihood of a row, all its heads together. */
  readonly loss: number;
  /** F1 of the heads, weighted by their validation facts. */
  readonly f1: number;
}

export function validateHeads(heads: readonly JobHead[]): JobValidation {
  const results = heads.map(({ trainer }) => trainer.validate());
  const facts = heads.map((head) => Math.max(1, head.validationFacts));
  return {
    loss: poolLosses(
      heads,
      'validationRows',
      results.map((result) => result.loss),
    ),
    f1: weightedMean(
      results.map((result) => result.f1),
      facts,
    ),
  };
}

/** Mean loss of a row over all its heads, from the mean losses of the heads; a row without a head costs nothing there. */
export function poolLosses(
  heads: readonly JobHead[],
  rows: 'trainRows' | 'validationRows',
  losses: readonly number[],
): number {
  const most = Math.max(...heads.map((head) => head[rows]));
  return heads.reduce((sum, head, index) => sum + (losses[index]! * head[rows]) / most, 0);
}

function weightedMean(values: readonly number[], weights: readonly number[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return values.reduce((sum, value, index) => sum + (value * weights[index]!) / total, 0);
}

/**
 * The order in which heads take their steps in an epoch: evenly spread, so that all end together however many steps each has.
 * @returns indices of heads
 */
export function interleave(stepsPerEpoch: readonly number[]): Uint8Array {
  const total = stepsPerEpoch.reduce((sum, steps) => sum + steps, 0);
  const done = stepsPerEpoch.map(() => 0);
  return Uint8Array.from({ length: total }, () => {
    let next = 0;
    const progress = (head: number) => (done[head]! + 0.5) / stepsPerEpoch[head]!;
    for (let head = 1; head < done.length; head++) if (progress(head) < progress(next)) next = head;
    done[next]!++;
    return next;
  });
}
