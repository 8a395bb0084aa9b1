import type {
  EvaluationOutcome,
  Example,
  InferRequest,
  InferResponse,
  InferResult,
  InferSchema,
  InferWarning,
  LoadedModel,
  ModelAbilities,
  Prediction,
} from '../engine.js';
import { evaluationFigures } from '../evaluation-figures.js';
import { DEFAULT_THRESHOLD } from '../evaluation-queries.js';
import { predictionOf, questionsOf } from '../evaluation-questions.js';
import { drain, type Steps } from '../steps.js';
import { planSchema } from './answers.js';
import type { Gliner2Model } from './open.js';

/** It answers any schema, and knows no labels of its own. */
const ABILITIES: ModelAbilities = { entityLabels: null, classLabels: null, multiLabel: false };

export function createModel(model: Gliner2Model): LoadedModel {
  return {
    abilities: ABILITIES,
    byteSize: 0,
    infer: (request) => infer(model, request),
    evaluate: (examples, onExample) => evaluate(model, examples, onExample),
  };
}

function* infer(model: Gliner2Model, { texts, schema, threshold }: InferRequest): Steps<InferResponse> {
  const plan = planSchema(schema, threshold ?? DEFAULT_THRESHOLD, model);
  const results: InferResult[] = [];
  const inputTokens: number[] = [];
  for (const text of texts) {
    const answer = yield* plan.answer(text);
    results.push(answer.result);
    inputTokens.push(answer.inputTokens);
  }
  return { results, warnings: warningsOf(schema), inputTokens };
}

const warningsOf = ({ relations = [] }: InferSchema): readonly InferWarning[] =>
  relations.flatMap(({ name, head, tail }) =>
    [head, tail].flatMap((label): readonly InferWarning[] => {
      const message = `The ends of "${name}" are not checked to be "${label}": the model reads the relation alone.`;
      return label === undefined ? [] : [{ code: 'unchecked_type', message, label }];
    }),
  );

function evaluate(model: Gliner2Model, examples: readonly Example[], onExample?: () => void): EvaluationOutcome {
  const predictions: Prediction[] = [];
  for (const { schema, rows } of questionsOf(ABILITIES, examples)) {
    const plan = planSchema(schema, DEFAULT_THRESHOLD, model);
    for (const [at, example] of rows) {
      predictions[at] = predictionOf(example, drain(plan.answer(example.text)).result);
      onExample?.();
    }
  }
  return { figures: evaluationFigures(examples, predictions), predictions };
}
