import type { Application } from '#application/application.js';
import { evaluationDecider, type StoredPredictions } from '#domain/evaluation/index.js';
import { streamName } from '#domain/streams.js';
import type { FinishedJob } from '#domain/training-job/index.js';
import { rowFactsOf, type RowFacts } from '#evaluations/row-facts.js';
import { storedLines } from '#evaluations/stored-lines.js';
import { factsKeyOf } from '#gpu-runner/contract/predictions.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { evaluations, type EvaluationDocument } from '#projections/evaluations/projection.js';
import { streamDocument } from '../../events/stream-document.js';
import { ImprovementError } from './improvement-error.js';

type Complete = EvaluationDocument & { readonly predictions: StoredPredictions };

/** Rows that the gate compares in memory. */
const MAX_ROWS = 200_000;

/**
 * An evaluation by whose figures a version is promoted or not: from the log.
 * @returns null while the evaluation has not ended
 * @throws ImprovementError it failed, or was deleted
 */
export async function completeEvaluation(application: Application, id: string): Promise<Complete | null> {
  const { status } = await application.load(evaluationDecider, id);
  if (status === 'none' || status === 'queued' || status === 'running') return null;
  const document = await streamDocument(application, evaluations, streamName(evaluationDecider.category, id));
  if (status === 'deleted') throw new ImprovementError(`evaluation ${id} was deleted`);
  if (status === 'failed') throw new ImprovementError(`evaluation ${id} failed: ${document?.errorMessage ?? ''}`);
  const { predictions = null } = document ?? {};
  if (!document || !predictions) throw new ImprovementError(`evaluation ${id} has no predictions`);
  return { ...document, predictions };
}

/** Facts that the model found in each row. @throws ImprovementError they are not there */
export async function factsOf(
  store: ObjectStore,
  { id, predictions, sampleCount }: Complete,
  signal: AbortSignal,
): Promise<readonly RowFacts[]> {
  const { objectKey, factsSha256 } = predictions;
  if (!factsSha256) throw new ImprovementError(`evaluation ${id} was run by an earlier release; update the runners`);
  if ((sampleCount ?? 0) > MAX_ROWS)
    throw new ImprovementError(`evaluation ${id} has ${sampleCount} rows; the gate compares ${MAX_ROWS} at most`);
  const stored = { objectKey: factsKeyOf(objectKey), sha256: factsSha256 };
  const facts: RowFacts[] = [];
  for await (const line of storedLines(store, stored, damaged, signal)) facts.push(rowFactsOf(line));
  return facts;
}

const damaged = () =>
  new ImprovementError('the stored predictions are gone or damaged; restore the object store from a backup');

/** Bytes of the stored model. */
export const sizeOf = ({ artifact }: FinishedJob): number => artifact.files.reduce((sum, { size }) => sum + size, 0);

/** Texts that both models are called with. */
const MAX_TEXTS = 20;

/** Texts of the evaluation, for calls. */
export async function evaluatedTexts(
  store: ObjectStore,
  { predictions }: Complete,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const line of storedLines(store, predictions, damaged, signal)) {
    if (texts.length === MAX_TEXTS) break;
    texts.push((JSON.parse(line.toString()) as { text: string }).text);
  }
  return texts;
}
