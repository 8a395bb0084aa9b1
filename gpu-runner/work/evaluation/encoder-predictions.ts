import { inferCertain } from '#gpu-runner/engines/certainty.js';
import type { LoadedEncoder } from '#gpu-runner/engines/encoder-engine.js';
import type { Example, InferRequest, InferResponse, Prediction } from '#gpu-runner/engines/engine.js';
import { predictionOf, questionsOf } from '#gpu-runner/engines/evaluation-questions.js';

/** Rows of one call. */
const MAX_ROWS = 16;

export type AskedEncoder = Pick<LoadedEncoder, 'abilities' | 'infer'>;

/**
 * Predictions for the heads that each example is labelled for, under the labels of the examples and those that the model learned.
 * @param onExamples called with their number each time that some examples have been predicted
 * @throws as `LoadedEncoder.infer`
 */
export const encoderPredictions = (
  model: AskedEncoder,
  examples: readonly Example[],
  onExamples: (count: number) => void,
  signal: AbortSignal,
): Promise<readonly Prediction[]> =>
  predictions(model, examples, onExamples, (request) => model.infer(request, signal));

/** The same, with the certainty of each whole answer. */
export const certainPredictions = (
  model: AskedEncoder,
  examples: readonly Example[],
  onExamples: (count: number) => void,
  signal: AbortSignal,
): Promise<readonly Prediction[]> =>
  predictions(model, examples, onExamples, (request) => inferCertain((each) => model.infer(each, signal), request));

async function predictions(
  { abilities }: AskedEncoder,
  examples: readonly Example[],
  onExamples: (count: number) => void,
  infer: (request: InferRequest) => Promise<InferResponse>,
): Promise<readonly Prediction[]> {
  const predicted: Prediction[] = [];
  for (const { schema, rows: all } of questionsOf(abilities, examples))
    for (let first = 0; first < all.length; first += MAX_ROWS) {
      const rows = all.slice(first, first + MAX_ROWS);
      const texts = rows.map(([, { text }]) => text);
      const results = Object.keys(schema).length === 0 ? [] : (await infer({ texts, schema, threshold: null })).results;
      for (const [row, [at, example]] of rows.entries()) predicted[at] = predictionOf(example, results[row] ?? {});
      onExamples(rows.length);
    }
  return predicted;
}
