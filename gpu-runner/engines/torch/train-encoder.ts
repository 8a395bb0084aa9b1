import type { EvaluationFigures, Example, RowSource, TrainMetrics, TrainRequest, TrainResult } from '../engine.js';
import { evaluationFigures } from '../evaluation-figures.js';
import { predictionsIn, rowOf } from './encoder-rows.js';
import type { StartEngine } from './process.js';
import { train, type TrainingReport } from './train.js';
import { trainMessage } from './train-message.js';

/**
 * Trains an encoder. Its figures are computed from Python's predictions for the validation rows.
 * @throws as `EncoderEngine.train`
 */
export async function trainEncoder(
  start: StartEngine,
  { train: rows, validation, sources, ...request }: TrainRequest,
  report: TrainingReport,
  signal: AbortSignal,
): Promise<TrainResult> {
  const unsaid = rows.flatMap(unsaidChoices).length;
  if (unsaid > 0)
    await report({
      ...{ kind: 'log', level: 'warn' },
      message: `This engine learns stretches of texts: ${unsaid} choices of records that no stretch is known to say are left out.`,
    });
  const message = await trainMessage('encoder', request, {
    train: shown(rows, sources),
    validation: shown(validation),
  });
  const figuresOf = async (path: string | null | undefined) =>
    path ? evaluationFigures(validation, await predictionsIn(path, validation)) : null;
  const f1Of = async (path: string | null | undefined) => (await figuresOf(path))?.f1 ?? null;
  const { predictions, metrics, ...result } = await train(start, message, report, signal, f1Of);
  return { ...result, metrics: { ...judged(await figuresOf(predictions), rows), ...metrics } };
}

function* shown(rows: readonly Example[], sources: readonly RowSource[] = []): Iterable<object> {
  for (const [index, row] of rows.entries()) {
    const source = sources[index];
    yield { ...rowOf(row), ...(source && { source }) };
  }
}

const unsaidChoices = ({ structures = [] }: Example): readonly string[] =>
  structures.flatMap(({ fields }) => fields.flatMap(({ choices = [] }) => choices));

const UNKNOWN = { f1: null, precision: null, recall: null };
const KEYS = {
  entities: 'entities',
  classification: 'labels',
  structures: 'structures',
  relations: 'relations',
} as const;

/** Figures with every head that was trained, also one that no validation row is labelled for. */
function judged(
  figures: EvaluationFigures | null,
  rows: readonly Example[],
): Omit<TrainMetrics, 'finalTrainingLoss' | 'finalValidationLoss' | 'bestValidationLoss'> {
  const heads = Object.entries(KEYS).flatMap(([head, key]) =>
    rows.some((row) => row[key] !== undefined) ? [head] : [],
  );
  return {
    ...(figures ?? { ...UNKNOWN, macroF1: null, accuracy: null, perLabel: {} }),
    heads: Object.fromEntries(heads.map((head) => [head, figures?.heads[head] ?? UNKNOWN])),
  };
}
