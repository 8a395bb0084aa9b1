import type { Example, Prediction } from '#gpu-runner/engines/engine.js';
import type { LoadedEncoder } from '#gpu-runner/engines/encoder-engine.js';
import { predictionOf, questionsOf } from '#gpu-runner/engines/evaluation-questions.js';

/** Rows of one call. */
const MAX_ROWS = 16;

/**
 * Predictions for the heads that each example is labelled for, under the labels of the examples and those that the model learned.
 * @param onExamples called each time that some examples have been predicted
 * @throws as `LoadedEncoder.infer`
 */
export async function encoderPredictions(
  model: LoadedEncoder,
  examples: readonly Example[],
  onExamples: () => void,
  signal: AbortSignal,
): Promise<readonly Prediction[]> {
  const predictions: Prediction[] = [];
  for (const { schema, rows: all } of questionsOf(model.abilities, examples))
    for (let first = 0; first < all.length; first += MAX_ROWS) {
      const rows = all.slice(first, first + MAX_ROWS);
      const texts = rows.map(([, { text }]) => text);
      const results =
        Object.keys(schema).length === 0 ? [] : (await model.infer({ texts, schema, threshold: null }, signal)).results;
      for (const [row, [at, example]] of rows.entries()) predictions[at] = predictionOf(example, results[row] ?? {});
      onExamples();
    }
  return predictions;
}
