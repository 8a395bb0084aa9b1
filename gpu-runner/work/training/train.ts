import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { heldOutBy, type Losses, type StoredFolder } from '#domain/training-job/index.js';
import { TrainingError, type TrainReport } from '#gpu-runner/engines/engine.js';
import { attemptScopedId, type AttemptRef, type TrainingWork } from '../../contract/work.js';
import type { WorkContext } from '../context.js';
import { eventFigures, rounded } from '../evaluation/figures.js';
import { downloadFolder, uploadFolder } from '../folders.js';
import { readSplit } from '../rows/held-out.js';
import {
  chatLearning,
  encoderLearning,
  encoderProcessLearning,
  engineSettings,
  preferenceLearning,
  type Learning,
} from './learning.js';
import { TrainedTexts } from '../rows/trained-texts.js';
import { trainedCard } from './card.js';

/**
 * Runs an attempt at a training job: reads the pinned rows, holds some out, trains (from a checkpoint if there is one),
 * and stores checkpoints and the finished artifact under `jobs/<id>/<attempt>/`. Stored files are reported in order,
 * once they are stored; an epoch is reported at once, so possibly before the checkpoint of the previous one.
 * @throws TrainingError, DamagedObjectError, UnfitRunnerError their messages are for the user
 */
export async function train(work: TrainingWork, context: WorkContext): Promise<void> {
  const pinned = await context.pinned();
  switch (pinned.kind) {
    case 'encoder':
      return trainOn(work, context, encoderLearning(pinned));
    case 'encoder-process':
      return trainOn(work, context, encoderProcessLearning(pinned));
    case 'decoder':
      return learnsPreferences(work)
        ? trainOn(work, context, preferenceLearning(pinned))
        : trainOn(work, context, chatLearning(pinned));
  }
}

/** The datasets of a job all have chats, or all have pairs of answers. */
const learnsPreferences = ({ request }: TrainingWork): boolean =>
  request.datasets.some(({ heads }) => heads.includes('preferences'));

async function trainOn<Row extends object>(
  work: TrainingWork,
  context: WorkContext,
  learning: Learning<Row>,
): Promise<void> {
  const { request, attempt } = work;
  const { say, signal, directory, objectStore } = context;
  const ref: AttemptRef = { id: request.jobId, attempt };
  const { epochs } = request.configuration;
  const split = await readSplit(
    request.datasets,
    heldOutBy(request.configuration),
    {
      read: (datasets, first) => learning.read(objectStore, datasets, first),
      textOf: (row) => learning.textOf(row),
      ...(learning.corrected && { corrected: (row: Row, later: readonly Row[]) => learning.corrected!(row, later) }),
    },
    request.excludedTexts,
  );
  const { train: rows, heldOut, excluded, corrected } = split;
  if (rows.length === 0)
    throw new TrainingError(`No row is left to train on: the texts of all ${excluded} are excluded or held out.`);
  say.log('info', `Training on ${rows.length} rows, ${heldOut.length} held out for validation`, 'runner');
  if (split.followed > 0)
    say.log('info', `${split.followed} of them are held out because another row with their text is`, 'runner');
  if (corrected > 0) say.log('info', `${corrected} rows have the labels of a later row with their text`, 'runner');
  if (excluded > 0)
    say.log('warn', `${excluded} rows are not trained on: their text is held out or excluded`, 'runner');
  if (heldOut.length === 0) {
    const unmeasured = learning.hasF1 ? 'F1, precision, recall and accuracy are' : 'the validation loss is';
    say.log('warn', `No row could be held out: ${unmeasured} not measured`, 'runner');
  }
  const resumeFrom = await fetchFolder(context, work.resume?.folder, 'resume');
  if (work.resume) say.log('info', `Going on from epoch ${work.resume.epoch}, step ${work.resume.step}`, 'runner');
  const startFrom = await fetchFolder(context, request.startFrom?.folder, 'start');
  const named = (row: Row) => ({ text: learning.textOf(row) });
  const texts = await trainedTexts(rows.map(named), startFrom);
  const overlappingRows = texts && texts.count(heldOut.map(named));
  if (overlappingRows)
    say.log(
      'warn',
      `${overlappingRows} of ${heldOut.length} held-out rows have a text that is trained on too: figures on them flatter the model`,
      'runner',
    );

  const stored = new InOrder();
  let lastEpochStep = -1;
  const training = learning.train(
    {
      settings: engineSettings(request.configuration),
      train: rows,
      validation: heldOut,
      startFrom,
      resumeFrom,
      outputDirectory: join(directory, 'out'),
    },
    (report) => {
      if (report.kind === 'progress') say.progress(report);
      else if (report.kind === 'working') say.working();
      else if (report.kind === 'log') say.log(report.level, report.message);
      else if (report.kind === 'epoch') {
        lastEpochStep = report.step;
        tellEpoch(report, learning.hasF1, context);
      } else {
        const endsEpoch = report.step === lastEpochStep;
        return stored.next(() => storeCheckpoint(report, endsEpoch, ref, texts, context));
      }
    },
    // A failure to store ends the training, whose result could not be kept.
    AbortSignal.any([signal, stored.failed]),
  );
  const result = await training.finally(() => stored.done());
  await texts?.write(result.artifactDirectory);
  const { finalTrainingLoss, finalValidationLoss, bestValidationLoss, rewards, rowsWithVectors, ...figures } =
    result.metrics;
  const losses = { finalTrainingLoss, finalValidationLoss, bestValidationLoss };
  const metrics = {
    ...{ ...eventFigures(figures), ...losses, judgedRows: heldOut.length, overlappingRows, excludedRows: excluded },
    ...(rewards && { rewards: rounded(rewards) }),
    ...(rowsWithVectors !== undefined && { rowsWithVectors }),
  };
  await writeCard(join(result.artifactDirectory, 'README.md'), trainedCard(request, metrics));
  const artifact = await uploadFolder(objectStore, result.artifactDirectory, `${prefixOf(ref)}/artifact`);
  say.progress({ fraction: 1, epoch: result.epochsRun, step: 0 });
  if (result.epochsRun < epochs)
    say.log('info', `Stopped early after epoch ${result.epochsRun} of ${epochs}`, 'runner');
  say.report({ kind: 'trained', epochsRun: result.epochsRun, metrics, artifact });
}

/** Writes a card unless the engine has written its own. */
async function writeCard(path: string, card: string): Promise<void> {
  await writeFile(path, card, { flag: 'wx' }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}

function tellEpoch(report: Extract<TrainReport, { kind: 'epoch' }>, hasF1: boolean, { say }: WorkContext): void {
  const { epoch, epochs, step } = report;
  const losses = lossesOf(report);
  say.log(
    'info',
    `Epoch ${epoch}/${epochs}: training loss ${losses.trainingLoss.toFixed(4)}, ` +
      `validation loss ${shown(losses.validationLoss)}${hasF1 ? `, f1 ${shown(losses.f1)}` : ''}`,
  );
  say.report({ kind: 'epoch', epoch, step, ...losses });
}

const shown = (figure: number | null): string => figure?.toFixed(4) ?? 'not measured';

/** @returns null if those of the starting model are unknown */
async function trainedTexts(
  rows: readonly { readonly text: string }[],
  startFrom: string | null,
): Promise<TrainedTexts | null> {
  const earlier = startFrom === null ? null : await TrainedTexts.read(startFrom);
  return startFrom !== null && earlier === null ? null : TrainedTexts.of(rows, earlier);
}

/** The folder is removed once it has been stored: it is not read here again. */
async function storeCheckpoint(
  report: Extract<TrainReport, { kind: 'checkpoint' }>,
  endsEpoch: boolean,
  ref: AttemptRef,
  texts: TrainedTexts | null,
  { objectStore, say }: WorkContext,
): Promise<void> {
  const { epoch, step, isBest, isFinal } = report;
  const objectPrefix = `${prefixOf(ref)}/checkpoints/${step}`;
  await texts?.write(report.directory);
  const folder = await uploadFolder(objectStore, report.directory, objectPrefix);
  await rm(report.directory, { recursive: true, force: true });
  const checkpointId = attemptScopedId(ref, `checkpoint/${step}`);
  const told = { epoch, step, isBest, isFinal, endsEpoch, folder, ...lossesOf(report) };
  say.report({ kind: 'checkpoint', checkpoint: { checkpointId, attempt: ref.attempt, ...told } });
}

/** Rounds the F1 as the artifact's is rounded, because the best checkpoint has the same one. */
const lossesOf = ({ trainingLoss, validationLoss, f1, learningRate }: Losses): Losses => ({
  trainingLoss,
  validationLoss,
  ...rounded({ f1 }),
  learningRate,
});

const prefixOf = ({ id, attempt }: AttemptRef): string => `jobs/${id}/${attempt}`;

async function fetchFolder(
  { objectStore, directory }: WorkContext,
  folder: StoredFolder | undefined,
  name: string,
): Promise<string | null> {
  if (!folder) return null;
  await downloadFolder(objectStore, folder, join(directory, name));
  return join(directory, name);
}

/** Steps run one after another while the training continues; the first failure is thrown at the end. */
class InOrder {
  private readonly failure = new AbortController();
  readonly failed = this.failure.signal;
  private last: Promise<void> = Promise.resolve();

  /** Resolves once the step is done. */
  next(step: () => Promise<void>): Promise<void> {
    this.last = this.last.then(step);
    this.last.catch((error: unknown) => this.failure.abort(error));
    return this.last;
  }

  done(): Promise<void> {
    return this.last;
  }
}
