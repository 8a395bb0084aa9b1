import { inferWithCertainty } from '#gpu-runner/engines/certainty.js';
import type { LoadedEncoder } from '#gpu-runner/engines/encoder-engine.js';
import type { Example, InferSchema, Prediction } from '#gpu-runner/engines/engine.js';
import { predictionOf, questionsOf } from '#gpu-runner/engines/evaluation-questions.js';

/** Rows of one call. */
const MAX_ROWS = 16;

export type AskedEncoder = Pick<LoadedEncoder, 'abilities' | 'infer'>;

/**
 * Predictions for the heads that each example is labelled for, under the labels of the examples and those that the model learned.
 * @param onExamples called each time that some examples have been predicted
 * @throws as `LoadedEncoder.infer`
 */
export const encoderPredictions = (
  model: AskedEncoder,
  examples: readonly Example[],
  onExamples: () => void,
  signal: AbortSignal,
): Promise<readonly Prediction[]> =>
  predictions(model, examples, onExamples, async (texts, schema) => {
    const { results } = await model.infer({ texts, schema, threshold: null }, signal);
    return texts.map((_, row) => ({ result: results[row] ?? {} }));
  });

/** The same, with the certainty of each whole answer. */
export const certainPredictions = (
  model: AskedEncoder,
  examples: readonly Example[],
  onExamples: () => void,
  signal: AbortSignal,
): Promise<readonly Prediction[]> =>
  predictions(model, examples, onExamples, async (texts, schema) => {
    const { response, certainties } = await inferWithCertainty((request) => model.infer(request, signal), {
      ...{ texts, schema },
    });
    return response.results.map((result, row) => ({ result, certainty: certainties[row]! }));
  });

type Answered = { readonly result: Parameters<typeof predictionOf>[1]; readonly certainty?: number };

async function predictions(
  { abilities }: AskedEncoder,
  examples: readonly Example[],
  onExamples: () => void,
  ask: (texts: readonly string[], schema: InferSchema) => Promise<readonly Answered[]>,
): Promise<readonly Prediction[]> {
  const predicted: Prediction[] = [];
  for (const { schema, rows: all } of questionsOf(abilities, examples))
    for (let first = 0; first < all.length; first += MAX_ROWS) {
      const rows = all.slice(first, first + MAX_ROWS);
      const texts = rows.map(([, { text }]) => text);
      const answers = Object.keys(schema).length === 0 ? [] : await ask(texts, schema);
      for (const [row, [at, example]] of rows.entries()) {
        const { result = {}, certainty } = answers[row] ?? {};
        predicted[at] = { ...predictionOf(example, result), ...(certainty !== undefined && { certainty }) };
      }
      onExamples();
    }
  return predicted;
}
