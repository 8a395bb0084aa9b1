import {
  UnsupportedHeadError,
  type EntityHit,
  type EntityQuery,
  type EvaluationOutcome,
  type Example,
  type InferHead,
  type InferRequest,
  type InferResponse,
  type InferResult,
  type LoadedModel,
} from '../engine.js';
import { evaluationFigures } from '../evaluation-figures.js';
import { DEFAULT_THRESHOLD, foundEntities, union } from '../evaluation-queries.js';
import { drain, type Steps } from '../steps.js';
import type { GlinerGraph } from './graph.js';
import { planEntities, type EntityPlan } from './entities.js';

/** A GLiNER model: it finds entities of any labels, and knows none of its own. */
export function createModel(graph: GlinerGraph): LoadedModel {
  return {
    abilities: { entityLabels: null, classLabels: null, multiLabel: false },
    byteSize: 0,
    infer: (request) => infer(graph, request),
    evaluate: (examples, onExample) => evaluate(graph, examples, onExample),
  };
}

const OTHER_HEADS: readonly InferHead[] = ['classifications', 'structures', 'relations'];

function* infer(graph: GlinerGraph, { texts, schema, threshold }: InferRequest): Steps<InferResponse> {
  const lacking = OTHER_HEADS.find((head) => schema[head] !== undefined);
  if (lacking) throw unsupported(lacking);
  const { entities } = schema;
  const isFlat = schema.flatNer !== false;
  const plan = entities && planEntities(entities, graph, { threshold: threshold ?? DEFAULT_THRESHOLD, isFlat });
  const results: InferResult[] = [];
  const inputTokens: number[] = [];
  for (const text of texts) {
    const answer = plan && (yield* plan.answer(text));
    results.push({ ...(answer && { entities: answer.entities }), truncated: answer?.truncated ?? false });
    inputTokens.push(answer?.inputTokens ?? 0);
  }
  return { results, warnings: [], inputTokens };
}

/** Entities under the labels of the examples. */
function evaluate(graph: GlinerGraph, examples: readonly Example[], onExample?: () => void): EvaluationOutcome {
  const others = [
    ['classifications', 'labels'],
    ['structures', 'structures'],
    ['relations', 'relations'],
  ] as const;
  const lacking = others.find(([, key]) => examples.some((example) => (example[key]?.length ?? 0) > 0));
  if (lacking) throw unsupported(lacking[0]);
  const gold = examples.flatMap(({ entities = [] }) => entities.map(({ label }) => label));
  const queries: readonly EntityQuery[] = union(gold, []).map((name) => ({ name }));
  const plan = planEntities(queries, graph, { threshold: DEFAULT_THRESHOLD, isFlat: true });
  const predictions = examples.map((example) => {
    const prediction = example.entities
      ? { text: example.text, ...foundEntities(hitsIn(plan, example.text)) }
      : { text: example.text };
    onExample?.();
    return prediction;
  });
  return { figures: evaluationFigures(examples, predictions), predictions };
}

const hitsIn = (plan: EntityPlan, text: string): readonly EntityHit[] =>
  Object.values(drain(plan.answer(text)).entities).flat();

const unsupported = (head: InferHead): UnsupportedHeadError =>
  new UnsupportedHeadError(head, `the model has no ${head} head; it does entities`);
