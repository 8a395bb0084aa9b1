import type { Application } from '#application/application.js';
import { evaluationDecider, type StoredPredictions } from '#domain/evaluation/index.js';
import type { JsonObject } from '#domain/json.js';
import { streamName } from '#domain/streams.js';
import { storedLines } from '#evaluations/stored-lines.js';
import type { JudgedCall } from '#distillation/agreement/bound.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { evaluations, type EvaluationDocument } from '#projections/evaluations/projection.js';
import { streamDocument } from '../events/stream-document.js';
import { StoppedError } from '../stages.js';

export type CompleteEvaluation = EvaluationDocument & { readonly predictions: StoredPredictions };

/**
 * An evaluation by whose figures a version is promoted or not: from the log.
 * @returns null while the evaluation has not ended
 * @throws StoppedError it failed, or was deleted
 */
export async function completeEvaluation(application: Application, id: string): Promise<CompleteEvaluation | null> {
  const { status } = await application.load(evaluationDecider, id);
  if (status === 'none' || status === 'queued' || status === 'running') return null;
  const document = await streamDocument(application, evaluations, streamName(evaluationDecider.category, id));
  if (status === 'deleted') throw new StoppedError(`evaluation ${id} was deleted`);
  if (status === 'failed') throw new StoppedError(`evaluation ${id} failed: ${document?.errorMessage ?? ''}`);
  const { predictions = null } = document ?? {};
  if (!document || !predictions)
    throw new StoppedError(`the predictions of evaluation ${id} are erased; evaluate again`);
  return { ...document, predictions };
}

/** A row's answer, and the one that was expected. */
export interface ComparedAnswer extends JudgedCall {
  readonly expected: JsonObject;
}

interface PredictionLine {
  readonly certainty?: number;
  readonly correct: boolean;
  readonly expected: JsonObject;
  readonly predicted: JsonObject;
}

/** How sure each row's answer was, and whether it was right. @param isRight decides that of rows that are not the same @throws StoppedError the predictions are not there */
export async function judgedCalls(
  store: ObjectStore,
  { predictions }: CompleteEvaluation,
  isRight: (expected: JsonObject, predicted: JsonObject) => boolean,
  signal: AbortSignal,
): Promise<readonly ComparedAnswer[]> {
  const calls: ComparedAnswer[] = [];
  for await (const line of storedLines(store, predictions, damaged, signal)) {
    const { certainty = 0, correct, expected, predicted } = JSON.parse(line.toString()) as PredictionLine;
    calls.push({ certainty, expected, agrees: correct || isRight(expected, predicted) });
  }
  return calls;
}

export const damaged = () =>
  new StoppedError('the stored predictions are gone or damaged; restore the object store from a backup');
