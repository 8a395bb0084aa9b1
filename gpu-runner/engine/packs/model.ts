import type {
  ClassHit,
  ClassificationQuery,
  EvaluationOutcome,
  Example,
  InferRequest,
  InferResponse,
  InferWarning,
  LoadedModel,
} from '../engine.js';
import { evaluationFigures } from '../evaluation-figures.js';
import { drain, type Steps } from '../steps.js';
import type { PackEncoder } from './pack-encoder.js';
import { ZeroShot, type Chooser } from './zero-shot.js';

/**
 * A base model whose single choices are made by a pack's vectors; it does the rest itself: entities, and choices of several labels.
 */
export function createPackModel(base: LoadedModel, encoder: PackEncoder): LoadedModel {
  const zeroShot = new ZeroShot(encoder);
  return {
    abilities: base.abilities,
    byteSize: base.byteSize,
    infer: (request) => infer(base, encoder, zeroShot, request),
    evaluate: (examples) => evaluate(base, zeroShot, examples),
  };
}

function* infer(
  base: LoadedModel,
  encoder: PackEncoder,
  zeroShot: ZeroShot,
  request: InferRequest,
): Steps<InferResponse> {
  const { classifications = [], ...others } = request.schema;
  const single = classifications.filter(({ multiLabel }) => !multiLabel);
  const several = classifications.filter(({ multiLabel }) => multiLabel);
  const schema = several.length > 0 ? { ...others, classifications: several } : others;
  const response = yield* base.infer({ ...request, schema });
  if (single.length === 0) return response;
  const tasks: { readonly query: ClassificationQuery; readonly labels: string[]; readonly choose: Chooser }[] = [];
  for (const query of single) {
    const labels = [...new Set(query.labels)];
    tasks.push({ query, labels, choose: yield* zeroShot.over(labels) });
  }
  const results: InferResponse['results'][number][] = [];
  for (const [index, result] of response.results.entries()) {
    const text = request.texts[index]!;
    const vector = zeroShot.read(text);
    const found = new Map<string, readonly ClassHit[]>();
    for (const { query, labels, choose } of tasks) {
      found.set(query.task, bestFirst(labels, choose(vector)).slice(0, query.topK ?? 1));
      yield;
    }
    const byTask = (task: string) => found.get(task) ?? result.classifications![task]!;
    results.push({
      ...result,
      classifications: Object.fromEntries(classifications.map(({ task }) => [task, byTask(task)])),
      truncated: result.truncated || encoder.isTooLong(text),
    });
  }
  return { ...response, results, warnings: [...response.warnings, ...single.map(zeroShotWarning)] };
}

/** On rows of one class each, the classes are those of the rows; what else the rows hold is judged by the base. */
function evaluate(base: LoadedModel, zeroShot: ZeroShot, examples: readonly Example[]): EvaluationOutcome {
  const outcome = base.evaluate(examples);
  const rows = examples.flatMap(({ labels }) => (labels === undefined ? [] : [labels]));
  if (rows.length === 0 || rows.some(({ length }) => length !== 1)) return outcome;
  const labels = [...new Set(rows.flat())].sort();
  const choose = drain(zeroShot.over(labels));
  const predictions = outcome.predictions.map((prediction, index) => {
    const { text, labels: gold } = examples[index]!;
    return gold === undefined
      ? prediction
      : { ...prediction, labels: [bestFirst(labels, choose(zeroShot.read(text)))[0]!.label] };
  });
  return { figures: evaluationFigures(examples, predictions), predictions };
}

const bestFirst = (labels: readonly string[], probabilities: Float64Array): ClassHit[] =>
  labels
    .map((label, index) => ({ label, confidence: probabilities[index]! }))
    .sort((a, b) => b.confidence - a.confidence);

const zeroShotWarning = ({ task }: ClassificationQuery): InferWarning => ({
  code: 'zero_shot_classification',
  message: `"${task}" is judged by the meaning of the label names. A model that is trained with examples of these labels is better.`,
});
