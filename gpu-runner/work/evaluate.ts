import { join } from 'node:path';
import type { EvaluationWork } from '../contract/work.js';
import { calibrationOf } from './calibration.js';
import { confusionsOf } from './confusions.js';
import type { WorkContext } from './context.js';
import { readExamples } from './examples.js';
import { eventFigures, UNMEASURED } from './figures.js';
import { downloadFolder } from './folders.js';
import { splitHeldOut } from './held-out.js';
import { storePredictions } from './store-predictions.js';
import { TrainedTexts } from './trained-texts.js';

/**
 * One attempt at an evaluation: loads the pinned model, predicts the pinned rows, stores the predictions as JSONL under
 * `evaluations/<id>/<attempt>/` and reports the figures.
 * @throws ArtifactError, DamagedObjectError, UnfitRunnerError their messages are for the user
 */
export async function evaluate(work: EvaluationWork, context: WorkContext): Promise<void> {
  const { request, attempt } = work;
  const { engine, objectStore, say, signal, directory, baseDirectory } = context;
  const all = await readExamples(objectStore, request.datasets);
  const { heldOut, maxExamples } = request;
  const chosen = heldOut ? splitHeldOut(all, heldOut.share, heldOut.seed).heldOut : all;
  const examples = maxExamples === null ? chosen : chosen.slice(0, maxExamples);
  signal.throwIfAborted();

  const { adapter } = request.model;
  if (adapter) await downloadFolder(objectStore, adapter, join(directory, 'adapter'));
  const model = engine.load(baseDirectory, adapter && join(directory, 'adapter'));
  // Where a job could hold nothing out, there is nothing to judge it by: rows that it learned from would flatter it.
  const { figures, predictions } =
    examples.length === 0 ? { figures: UNMEASURED, predictions: [] } : model.evaluate(examples);
  const overlappingRows = adapter && (await TrainedTexts.read(join(directory, 'adapter')))?.count(examples);
  signal.throwIfAborted();

  const prefix = `evaluations/${request.evaluationId}/${attempt}`;
  const stored = await storePredictions(objectStore, prefix, examples, predictions);
  say.report({
    kind: 'evaluated',
    metrics: {
      ...eventFigures(figures),
      confusions: confusionsOf(examples, predictions),
      calibration: calibrationOf(examples, predictions),
      overlappingRows: overlappingRows ?? null,
    },
    sampleCount: examples.length,
    predictions: stored,
  });
}
