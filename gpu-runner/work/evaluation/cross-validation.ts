import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CrossValidation } from '#domain/evaluation/index.js';
import { heldOutBy, type DatasetPin } from '#domain/training-job/index.js';
import {
  TrainingError,
  type Example,
  type Prediction,
  type TrainRequest,
  type TrainResult,
} from '#gpu-runner/engines/engine.js';
import { drain } from '#gpu-runner/engines/steps.js';
import { randomNumbers } from '#primitives/random-numbers.js';
import { normalised } from '#rows/report/normalised.js';
import type { WorkContext } from '../context.js';
import type { PinnedEngine } from '../pinned-engine.js';
import { readExamples } from '../rows/examples.js';
import { corrected, readSplit, splitHeldOut } from '../rows/held-out.js';
import { engineSettings } from '../training/learning.js';
import { certainPredictions, type AskedEncoder } from './encoder-predictions.js';

type Encoder = Exclude<PinnedEngine, { kind: 'decoder' }>;

/** Share of a fold's rows by which its training is stopped and calibrated, where the job names none. */
const VALIDATION_SHARE = 0.1;

/**
 * Answers every row that a job learned from or held out by a model that did not see it: the rows are divided into folds, and each fold
 * is answered by a model that was trained, as the job was, on the others. Rows that the job's datasets hold out whole are no part of it.
 * @throws TrainingError where the rows without a fold cannot be learned from
 */
export async function crossValidated(
  {
    datasets,
    crossValidation,
  }: { readonly datasets: readonly DatasetPin[]; readonly crossValidation: CrossValidation },
  pinned: Encoder,
  context: WorkContext,
): Promise<{ readonly rows: readonly Example[]; readonly predictions: readonly Prediction[] }> {
  const { folds: count, configuration } = crossValidation;
  const { objectStore, say, signal, directory } = context;
  const { train: rows } = await readSplit(
    datasets,
    { ...heldOutBy(configuration), share: 0 },
    {
      read: (some) => readExamples(objectStore, some),
      textOf: ({ text }: Example) => text,
      corrected,
    },
  );
  const folds = foldsOf(rows, count, configuration.splitSeed);
  const predictions: Prediction[] = [];
  for (let fold = 0; fold < count; fold += 1) {
    const asked = [...rows.keys()].filter((row) => folds[row] === fold);
    if (asked.length === 0) continue;
    const others = rows.filter((_, row) => folds[row] !== fold);
    if (others.length === 0) throw new TrainingError('All rows have the same text: no model can be tested on another.');
    const { train, heldOut } = splitHeldOut(
      others,
      configuration.validationShare || VALIDATION_SHARE,
      configuration.splitSeed,
    );
    const outputDirectory = join(directory, `fold-${fold}`);
    say.log(
      'info',
      `Fold ${fold + 1} of ${count}: ${others.length} rows to learn from, ${asked.length} to answer`,
      'runner',
    );
    const { artifactDirectory } = await trained(
      pinned,
      {
        settings: engineSettings(configuration),
        train,
        validation: heldOut,
        startFrom: null,
        resumeFrom: null,
        learnsLikeness: false,
        outputDirectory,
      },
      (fraction) => say.progress({ fraction: (fold + fraction) / count, epoch: 0, step: 0 }),
      context,
    );
    const model = await loaded(pinned, artifactDirectory, context);
    const answers = await certainPredictions(
      model,
      asked.map((row) => rows[row]!),
      () => say.working(),
      signal,
    );
    signal.throwIfAborted();
    for (const [at, row] of asked.entries()) predictions[row] = answers[at]!;
    await rm(outputDirectory, { recursive: true, force: true });
  }
  return { rows, predictions };
}

/**
 * The fold of each row: rows with one text are in one fold, and those of a class are spread over all.
 * @param seed the same seed gives the same folds
 */
export function foldsOf(rows: readonly Example[], count: number, seed: number): readonly number[] {
  const random = randomNumbers(seed);
  const texts = [...Map.groupBy(rows.keys(), (row) => normalised(rows[row]!.text)).values()].map((same) => ({
    ...{ same, order: random() },
    kind: JSON.stringify([rows[same[0]!]!.labels, rows[same[0]!]!.tasks?.map(({ task, labels }) => [task, labels])]),
  }));
  const inKinds = texts.toSorted((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : a.order - b.order));
  const folds: number[] = Array.from({ length: rows.length }, () => 0);
  for (const [at, { same }] of inKinds.entries()) for (const row of same) folds[row] = at % count;
  return folds;
}

async function trained(
  { engine, baseDirectory }: Encoder,
  request: Omit<TrainRequest, 'baseDirectory'>,
  onProgress: (fraction: number) => void,
  { say, signal }: WorkContext,
): Promise<TrainResult> {
  return engine.train(
    { ...request, baseDirectory },
    (report) => {
      if (report.kind === 'progress') onProgress(report.fraction);
      else if (report.kind === 'log') say.log(report.level, report.message);
      else if (report.kind === 'checkpoint') return rm(report.directory, { recursive: true, force: true });
      else say.working();
      return undefined;
    },
    signal,
  );
}

/** A large base blocks this thread while it loads: the time of silence counts from here. */
async function loaded(pinned: Encoder, directory: string, { say }: WorkContext): Promise<AskedEncoder> {
  say.working();
  if (pinned.kind === 'encoder-process') return pinned.engine.load(pinned.baseDirectory, directory);
  const model = pinned.engine.load(pinned.baseDirectory, directory);
  return { abilities: model.abilities, infer: async (request) => drain(model.infer(request)) };
}
