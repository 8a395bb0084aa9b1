import { join } from 'node:path';
import type { CrossValidation, EngineName } from '#domain/evaluation/index.js';
import type { DatasetPin } from '#domain/training-job/index.js';
import type { EvaluationWork } from '../../contract/work.js';
import type { EncoderEngine } from '#gpu-runner/engines/encoder-engine.js';
import type { Engine, EvaluationOutcome, Example } from '#gpu-runner/engines/engine.js';
import { evaluationFigures, labelKeys, rowFacts } from '#gpu-runner/engines/evaluation-figures.js';
import { calibrationOf } from './calibration.js';
import { promptTextOf, readChats } from '../rows/chats.js';
import { confusionsOf } from './confusions.js';
import type { Say, WorkContext } from '../context.js';
import { crossValidated } from './cross-validation.js';
import { encoderPredictions } from './encoder-predictions.js';
import { readExamples } from '../rows/examples.js';
import { eventFigures, UNMEASURED } from './figures.js';
import { downloadFolder } from '../folders.js';
import { answersOf, judgedAnswers, judgeStored, storeForJudge } from './generated-answers.js';
import { readSplit } from '../rows/held-out.js';
import { UnfitRunnerError, type PinnedEngine } from '../pinned-engine.js';
import { intervalsOf } from './intervals.js';
import type { Folders, JudgedRows } from './judged.js';
import { predictionLine } from './predictions.js';
import { storePredictions } from './store-predictions.js';
import { TrainedTexts } from '../rows/trained-texts.js';

/**
 * Runs an attempt at an evaluation: loads the pinned model, predicts the pinned rows, stores the predictions as JSONL
 * under `evaluations/<id>/<attempt>/` and reports the figures. The answers of a hosted model are stored already.
 * @throws ArtifactError, DamagedObjectError, UnfitRunnerError their messages are for the user
 */
export async function evaluate(work: EvaluationWork, context: WorkContext): Promise<void> {
  const { request } = work;
  const { objectStore, directory } = context;
  if (work.answers) {
    const rows = await chosen(request, (datasets) => readChats(objectStore, datasets), promptTextOf);
    const { adapter } = request.model;
    if (adapter) await downloadFolder(objectStore, adapter, join(directory, 'adapter'));
    const texts = rows.map((row) => ({ text: promptTextOf(row) }));
    return judged(work, context, rows, texts, await judgeStored(work, rows, objectStore));
  }
  const pinned = await context.pinned();
  if (request.crossValidation) return evaluateRecipe(work, request.crossValidation, pinned, context);
  const { adapter } = request.model;
  if (adapter) await downloadFolder(objectStore, adapter, join(directory, 'adapter'));
  const folders = { baseDirectory: pinned.baseDirectory, adapterDirectory: adapter && join(directory, 'adapter') };
  if (pinned.kind === 'encoder') {
    const rows = await chosen(
      request,
      (datasets) => readExamples(objectStore, datasets),
      ({ text }) => text,
    );
    const outcome = outcomeOf(pinned.engine, folders, rows, context);
    await judged(work, context, rows, rows, judgedLabels(rows, outcome, context.say));
  } else if (pinned.kind === 'encoder-process')
    try {
      const rows = await chosen(
        request,
        (datasets) => readExamples(objectStore, datasets),
        ({ text }) => text,
      );
      const outcome = await processOutcomeOf(pinned.engine, folders, rows, context);
      await judged(work, context, rows, rows, judgedLabels(rows, outcome, context.say));
    } finally {
      await pinned.engine.close();
    }
  else
    try {
      const rows = await chosen(request, (datasets) => readChats(objectStore, datasets), promptTextOf);
      const texts = rows.map((row) => ({ text: promptTextOf(row) }));
      const { answers, engine } = await answersOf(request, pinned, folders.adapterDirectory, rows, context);
      if (request.judge && rows.length > 0) await storeForJudge(work, context, answers, engine);
      else await judged(work, context, rows, texts, judgedAnswers(rows, answers), engine);
    } finally {
      await pinned.engine.close();
    }
}

/** Measures not a model but how it is trained, on all rows of its job. */
async function evaluateRecipe(
  work: EvaluationWork,
  crossValidation: CrossValidation,
  pinned: PinnedEngine,
  context: WorkContext,
): Promise<void> {
  if (pinned.kind === 'decoder') throw new UnfitRunnerError('Decoders are not cross-validated.');
  try {
    const { datasets } = work.request;
    const { rows, predictions } = await crossValidated({ datasets, crossValidation }, pinned, context);
    const outcome = { figures: evaluationFigures(rows, predictions), predictions };
    await judged(work, context, rows, rows, judgedLabels(rows, outcome, context.say));
  } finally {
    if (pinned.kind === 'encoder-process') await pinned.engine.close();
  }
}

async function chosen<Row extends object>(
  { datasets, heldOut, maxExamples }: EvaluationWork['request'],
  read: (datasets: readonly DatasetPin[]) => Promise<readonly Row[]>,
  textOf: (row: Row) => string,
): Promise<readonly Row[]> {
  const rows = heldOut ? (await readSplit(datasets, heldOut, { read, textOf })).heldOut : await read(datasets);
  return maxExamples === null ? rows : rows.slice(0, maxExamples);
}

async function judged(
  { request, attempt, answers, verdicts }: EvaluationWork,
  { objectStore, say, signal, directory }: WorkContext,
  rows: readonly unknown[],
  texts: readonly { readonly text: string }[],
  { metrics, lines, counts, facts }: JudgedRows,
  engine?: EngineName,
): Promise<void> {
  const trained = request.model.adapter && (await TrainedTexts.read(join(directory, 'adapter')));
  signal.throwIfAborted();
  const prefix = `evaluations/${request.evaluationId}/${attempt}`;
  const { totalSize, ...stored } = await storePredictions(objectStore, prefix, lines, { counts, facts });
  const predictions = { ...stored, totalSize: totalSize + (answers?.size ?? 0) + (verdicts?.size ?? 0) };
  const overlappingRows = trained?.count(texts) ?? null;
  say.report({
    ...{ kind: 'evaluated', metrics: { ...metrics, overlappingRows }, sampleCount: rows.length, predictions },
    ...(engine && { engine }),
  });
}

function outcomeOf(
  engine: Engine,
  { baseDirectory, adapterDirectory }: Folders,
  examples: readonly Example[],
  { say }: WorkContext,
): EvaluationOutcome | null {
  // A large base blocks this thread while it loads: the time of silence counts from here.
  say.working();
  const model = engine.load(baseDirectory, adapterDirectory);
  say.working();
  return examples.length === 0 ? null : model.evaluate(examples, counted(examples.length, say));
}

async function processOutcomeOf(
  engine: EncoderEngine,
  { baseDirectory, adapterDirectory }: Folders,
  examples: readonly Example[],
  { say, signal }: WorkContext,
): Promise<EvaluationOutcome | null> {
  say.working();
  const model = await engine.load(baseDirectory, adapterDirectory);
  say.working();
  if (examples.length === 0) return null;
  const predictions = await encoderPredictions(model, examples, counted(examples.length, say), signal);
  return { figures: evaluationFigures(examples, predictions), predictions };
}

/** Reports progress at each hundredth of the examples. */
function counted(total: number, say: Say): (more?: number) => void {
  let count = 0;
  const hundredths = () => Math.floor((100 * count) / total);
  return (more = 1) => {
    const before = hundredths();
    count += more;
    if (hundredths() > before) say.progress({ fraction: count / total, epoch: 0, step: count });
    else say.working();
  };
}

/** @param outcome null if the job held no row out: figures on rows that the model learned from would be too good */
function judgedLabels(
  examples: readonly Example[],
  outcome: EvaluationOutcome | null,
  say: Pick<Say, 'working'>,
): JudgedRows {
  const { figures, predictions } = outcome ?? { figures: UNMEASURED, predictions: [] };
  return {
    metrics: {
      ...eventFigures(figures),
      confusions: confusionsOf(examples, predictions),
      calibration: calibrationOf(examples, predictions),
      ...(outcome && { intervals: intervalsOf(examples, predictions, () => say.working()) }),
    },
    *lines() {
      for (const [at, example] of examples.entries())
        yield predictionLine(example, predictions[at] ?? { text: example.text });
    },
    *facts() {
      const keyOf = labelKeys(examples, predictions);
      for (const [at, example] of examples.entries())
        yield rowFacts(example, predictions[at] ?? { text: example.text }, keyOf);
    },
  };
}
