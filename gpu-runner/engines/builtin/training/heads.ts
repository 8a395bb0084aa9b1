import { TrainingError, type Example, type LabelledRecord, type RowHead, type TrainSettings } from '../../engine.js';
import { createClassificationTrainer } from '../classification/index.js';
import { createLayeredTrainer, type BaseTagger, type LabelResolver } from '../entities/index.js';
import type { Steps } from '../../steps.js';
import { headOfTask } from '../task-heads.js';
import { createTaskTrainer, ofTaskIn } from './task-trainer.js';
import type { HeadState, HeadTrainer, HeadTrainerInput } from '../head.js';
import { areMentions, createRelationTrainer } from '../relations/index.js';
import { createStructureTrainer } from '../structures/index.js';
import type { SentenceEncoder, TextEncoder } from '../text-encoder.js';

/** The training of a head: its rows, its defaults and its trainer. */
interface HeadKind {
  readonly name: RowHead;
  /** Key of the head in artifacts and training states. */
  readonly key: string;
  /** Whether whole texts are encoded for it, not words. */
  readonly readsTexts?: boolean;
  /** Labels of a row for the head; undefined if it has none. */
  readonly factsOf: (row: Example) => readonly unknown[] | undefined;
  /** A label of the head, for messages about rows that have none; null if such rows teach the head too. */
  readonly fact: string | null;
  /** @param made heads before this one */
  readonly createTrainer: (input: HeadTrainerInput, job: JobInput, made: readonly MadeHead[]) => Steps<HeadTrainer>;
}

/** A record whose lists are all empty has nothing to learn from. */
const hasValue = ({ fields }: LabelledRecord): boolean =>
  fields.some(({ values, choices = [] }) => values.length > 0 || choices.length > 0);

/** In the order in which they are trained. */
const HEADS: readonly HeadKind[] = [
  {
    name: 'entities',
    key: 'entities',
    factsOf: ({ entities }) => entities,
    fact: 'an entity',
    createTrainer: (input, { base, resolveLabel, encoder }) => createLayeredTrainer(input, base, resolveLabel, encoder),
  },
  {
    name: 'classification',
    key: 'classification',
    readsTexts: true,
    factsOf: ({ labels }) => labels,
    fact: null,
    *createTrainer(input, { sentences }) {
      return createClassificationTrainer(input, sentences);
    },
  },
  {
    name: 'structures',
    key: 'structures',
    factsOf: ({ structures }) => structures?.filter(hasValue),
    fact: 'a structure',
    createTrainer: (input, { base, resolveName, encoder, sentences }) =>
      createStructureTrainer(input, base, resolveName, encoder, sentences),
  },
  {
    name: 'relations',
    key: 'relations',
    factsOf: ({ relations }) => relations,
    fact: 'a relation',
    createTrainer: (input, { base, resolveName, encoder }, made) =>
      createRelationTrainer(input, base, resolveName, encoder, taggerOf(input, made)),
  },
];

/** The heads that training rows are labelled for: tasks, by name, after the other classes. */
function kindsOf(train: readonly Example[]): readonly HeadKind[] {
  const tasks = new Set(train.flatMap(({ tasks = [] }) => tasks.map(({ task }) => task)));
  const kinds = HEADS.filter(({ factsOf }) => train.some((row) => factsOf(row) !== undefined));
  const [before, after] = [
    kinds.filter(({ name }) => name === 'entities' || name === 'classification'),
    kinds.filter(({ name }) => name === 'structures' || name === 'relations'),
  ];
  return [...before, ...[...tasks].toSorted().map(taskHead), ...after];
}

/** The head of one of several classification tasks. */
const taskHead = (task: string): HeadKind => ({
  name: task,
  key: headOfTask(task),
  readsTexts: true,
  factsOf: (row) => ofTaskIn(row, task)?.labels,
  fact: null,
  *createTrainer(input, { sentences }) {
    return createTaskTrainer(task, input, sentences);
  },
});

/** A head with its training input. */
interface MadeHead extends JobHead {
  readonly input: HeadTrainerInput;
}

/** The trainer of the entity head, if it learns exactly what a tagger of the relations' ends would. */
function taggerOf(input: HeadTrainerInput, made: readonly MadeHead[]): HeadTrainer | null {
  const entities = made.find(({ name }) => name === 'entities');
  if (entities === undefined || entities.input.startFrom !== null || input.startFrom !== null) return null;
  const isSame = (part: 'train' | 'validation') =>
    input[part].length === entities.input[part].length &&
    input[part].every((row, index) => row === entities.input[part][index]) &&
    areMentions(input[part]);
  return isSame('train') && isSame('validation') ? entities.trainer : null;
}

/** A head of a job in training. */
export interface JobHead {
  readonly name: RowHead;
  /** Key of the head in artifacts and training states. */
  readonly key: string;
  readonly trainer: HeadTrainer;
  /** Training rows with labels for this head. */
  readonly trainRows: number;
  readonly validationRows: number;
  /** Entities, class labels, records or relations in the validation rows: the weight of this head's F1 in the pooled one. */
  readonly validationFacts: number;
}

interface JobInput {
  readonly settings: TrainSettings;
  readonly train: readonly Example[];
  readonly validation: readonly Example[];
  /** Heads of the adapter that is continued; empty when the job starts at the base. */
  readonly startFrom: Readonly<Record<string, HeadState>>;
  readonly base: BaseTagger;
  readonly encoder: TextEncoder | null;
  readonly sentences: SentenceEncoder | null;
  /** For the labels of the rows' entities, resolved together. */
  readonly resolveLabel: LabelResolver;
  /** For any other name, resolved alone. */
  readonly resolveName: LabelResolver;
  readonly log: (message: string) => void;
  readonly working: () => void;
}

/**
 * A trainer for each head that the rows are labelled for, entities first.
 * @throws TrainingError when there is none, or one of them cannot be learned
 */
export function* createHeads(job: JobInput): Steps<readonly JobHead[]> {
  const kinds = kindsOf(job.train);
  const [first] = kinds;
  if (first === undefined)
    throw new TrainingError(
      'No training row is labelled: rows need "entities", "label", "labels", "json_structures" or "relations".',
    );
  const worth = kinds.length === 1 ? kinds : kinds.filter((kind) => isWorthTraining(kind, job));
  // If no head can be trained, the first one reports what it lacks.
  const made: MadeHead[] = [];
  for (const kind of worth.length === 0 ? [first] : worth) made.push(yield* createHead(kind, job, made));
  return made;
}

/** In a job with other heads too, rows whose lists are all empty are not meant to train a finder of what they lack. */
function isWorthTraining({ name, factsOf, fact }: HeadKind, { train, log }: JobInput): boolean {
  if (fact === null || train.some((row) => (factsOf(row)?.length ?? 0) > 0)) return true;
  log(`No row holds ${fact}: ${name} are not trained, only the other heads.`);
  return false;
}

/** The rows that a head learns from and is judged by: the same if no validation row is labelled for it. */
type HeadRows = Pick<HeadTrainerInput, 'train' | 'validation'>;

/** The rows of each head that some training row is labelled for. */
export function rowsOfHeads(job: HeadRows): readonly (HeadRows & { readonly readsTexts: boolean })[] {
  return kindsOf(job.train).map((kind) => ({ readsTexts: kind.readsTexts ?? false, ...rowsOf(kind, job) }));
}

function rowsOf({ factsOf }: HeadKind, job: HeadRows): HeadRows {
  const train = job.train.filter((row) => factsOf(row) !== undefined);
  const validation = job.validation.filter((row) => factsOf(row) !== undefined);
  return { train, validation: validation.length === 0 ? train : validation };
}

function* createHead(kind: HeadKind, job: JobInput, made: readonly MadeHead[]): Steps<MadeHead> {
  const { name, key, factsOf, createTrainer } = kind;
  const { settings, startFrom, log, working } = job;
  const { train, validation } = rowsOf(kind, job);
  if (validation === train)
    log(`No validation row is labelled for ${name}: it has no figures, which on its training rows would flatter it.`);
  const input: HeadTrainerInput = { settings, train, validation, startFrom: startFrom[key] ?? null, log, working };
  return {
    name,
    key,
    input,
    trainer: yield* createTrainer(input, job, made),
    trainRows: train.length,
    validationRows: validation.length,
    validationFacts: validation.reduce((sum, row) => sum + (factsOf(row)?.length ?? 0), 0),
  };
}

interface JobValidation {
  /** Mean negative log likelihood of a row that was not trained on, all its heads together; null if there are none. */
  readonly loss: number | null;
  /** Compared with the merit of other epochs of the job, to choose the best. */
  readonly merit: Merit;
}

/** Measures of a state, by which the best epoch is chosen. A job without rows held out takes them on its training rows. */
export type Merit = {
  /** Mean negative log likelihood of a row, all its heads together. */
  readonly loss: number;
  /** F1 of the heads, each at its best decision point, weighted by their validation facts. */
  readonly f1: number;
};

export function validateHeads(heads: readonly JobHead[]): JobValidation {
  const results = heads.map(({ trainer }) => trainer.validate());
  const facts = heads.map((head) => Math.max(1, head.validationFacts));
  const held = heads.flatMap((head, index) =>
    results[index]!.isHeldOut ? [{ head, loss: results[index]!.loss }] : [],
  );
  const pooled = (of: readonly { readonly head: JobHead; readonly loss: number }[]) =>
    poolLosses(
      of.map(({ head }) => head),
      'validationRows',
      of.map(({ loss }) => loss),
    );
  return {
    loss: held.length === 0 ? null : pooled(held),
    merit: {
      loss: pooled(heads.map((head, index) => ({ head, loss: results[index]!.loss }))),
      f1: weightedMean(
        results.map((result) => result.f1),
        facts,
      ),
    },
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
