import type { FinishedJob } from '#domain/training-job/index.js';
import { rowFactsOf, type RowFacts } from '#evaluations/row-facts.js';
import { storedLines } from '#evaluations/stored-lines.js';
import { factsKeyOf } from '#gpu-runner/contract/predictions.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { damaged, type CompleteEvaluation } from '../../evaluations/complete.js';
import { StoppedError } from '../../stages.js';

/** Rows that the gate compares in memory. */
const MAX_ROWS = 200_000;

/** Facts that the model found in each row. @throws StoppedError they are not there */
export async function factsOf(
  store: ObjectStore,
  { id, predictions, sampleCount }: CompleteEvaluation,
  signal: AbortSignal,
): Promise<readonly RowFacts[]> {
  const { objectKey, factsSha256 } = predictions;
  if (!factsSha256) throw new StoppedError(`evaluation ${id} was run by an earlier release; update the runners`);
  if ((sampleCount ?? 0) > MAX_ROWS)
    throw new StoppedError(`evaluation ${id} has ${sampleCount} rows; the gate compares ${MAX_ROWS} at most`);
  const stored = { objectKey: factsKeyOf(objectKey), sha256: factsSha256 };
  const facts: RowFacts[] = [];
  for await (const line of storedLines(store, stored, damaged, signal)) facts.push(rowFactsOf(line));
  return facts;
}

/** Bytes of the stored model. */
export const sizeOf = ({ artifact }: FinishedJob): number => artifact.files.reduce((sum, { size }) => sum + size, 0);

/** Texts that both models are called with. */
const MAX_TEXTS = 20;

/** Texts of the evaluation, for calls. */
export async function evaluatedTexts(
  store: ObjectStore,
  { predictions }: CompleteEvaluation,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const line of storedLines(store, predictions, damaged, signal)) {
    if (texts.length === MAX_TEXTS) break;
    texts.push((JSON.parse(line.toString()) as { text: string }).text);
  }
  return texts;
}
