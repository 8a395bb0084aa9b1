import {
  UnsupportedHeadError,
  type ClassHit,
  type ClassificationQuery,
  type Example,
  type InferRequest,
  type InferResponse,
  type InferResult,
  type LoadedModel,
} from '../../engine.js';
import { drain, type Steps } from '../../steps.js';
import { loadClassificationHead, maxCharacters, type ClassificationHead } from '../classification/index.js';
import { loadEntityHead, type EntityHead } from '../entities/index.js';
import { evaluationFigures } from '../../evaluation-figures.js';
import type { HeadState } from '../head.js';
import { segmentTokens } from '../text/segments.js';
import type { LoadedBase } from './base.js';
import { planClassification } from './class-answers.js';
import { planEntities } from './entity-answers.js';
import { matcherOf } from './labels.js';

/** Name of the label group when a trained model answers with its own labels. */
const ownTask = 'classification';
/** Where evaluation draws the line, since a gold row has no confidence. */
const evaluationThreshold = 0.5;

/**
 * A base with the heads of an adapter on it, or alone.
 * @param heads of the adapter; none for the base alone
 * @param byteSize of the adapter
 * @throws ArtifactError when a head is damaged
 */
export function createModel(
  base: LoadedBase,
  heads: Readonly<Record<string, HeadState>>,
  byteSize: number,
): LoadedModel {
  const entities = heads['entities'] === undefined ? null : loadEntityHead(heads['entities'], base.tagger);
  const classes = heads['classification'] === undefined ? null : loadClassificationHead(heads['classification']);
  const model: Model = { base, entities, classes };
  return {
    abilities: {
      entityLabels: entities?.labels ?? null,
      classLabels: classes?.labels ?? null,
      multiLabel: classes?.multiLabel ?? false,
    },
    byteSize,
    infer: (request) => infer(model, request),
    evaluate(examples) {
      const predictions = predict(model, examples);
      return { figures: evaluationFigures(examples, predictions), predictions };
    },
  };
}

interface Model {
  readonly base: LoadedBase;
  readonly entities: EntityHead | null;
  readonly classes: ClassificationHead | null;
}

function* infer(model: Model, { texts, schema, threshold }: InferRequest): Steps<InferResponse> {
  for (const head of ['structures', 'relations'] as const)
    if (schema[head] !== undefined)
      throw new UnsupportedHeadError(head, `the model has no ${head} head; it does entities and classifications`);
  const entityPlan =
    schema.entities === undefined ? null : planEntities(schema.entities, model.entities, model.base, threshold);
  const classPlans = (schema.classifications ?? []).map((query) => planClassification(query, model.classes, threshold));

  const results: InferResult[] = [];
  const inputTokens: number[] = [];
  for (const text of texts) {
    const found = entityPlan === null ? undefined : yield* entityPlan.answer(text);
    inputTokens.push(entityPlan?.readsText === true ? found!.inputTokens : yield* countTokens(text));
    const classes: [task: string, hits: readonly ClassHit[]][] = [];
    for (const plan of classPlans) {
      classes.push([plan.task, plan.answer(text)]);
      yield;
    }
    results.push({
      ...(found === undefined ? {} : { entities: found.entities }),
      ...(classes.length === 0 ? {} : { classifications: Object.fromEntries(classes) }),
      truncated: found?.truncated === true || (classPlans.length > 0 && text.length > maxCharacters),
    });
  }
  const warnings = [...(entityPlan?.warnings ?? []), ...classPlans.flatMap((plan) => plan.warnings)];
  return { results, warnings, inputTokens };
}

function* countTokens(text: string): Steps<number> {
  let count = 0;
  for (const tokens of segmentTokens(text)) {
    count += tokens.length;
    yield;
  }
  return count;
}

/** Predictions for the heads that each example is labelled for, under the labels of the examples and those learned. */
function predict(model: Model, examples: readonly Example[]): Example[] {
  const gold = examples.flatMap((example) => (example.entities ?? []).map((entity) => entity.label));
  const entityPlan = planEntities(
    union(gold, model.entities?.labels ?? []).map((name) => ({ name })),
    model.entities,
    model.base,
    evaluationThreshold,
  );
  const classQuery = classQueryFor(model, examples);
  const classPlan = planClassification(classQuery, model.classes, evaluationThreshold);
  return examples.map((example) => ({
    text: example.text,
    ...(example.entities === undefined
      ? {}
      : {
          entities: Object.values(drain(entityPlan.answer(example.text)).entities)
            .flat()
            .map(({ start, end, label }) => ({ start, end, label }))
            .sort((a, b) => a.start - b.start || a.end - b.end),
        }),
    ...(example.labels === undefined || classQuery.labels.length === 0
      ? {}
      : { labels: classPlan.answer(example.text).map((hit) => hit.label) }),
  }));
}

/**
 * A classifier that knows any of the examples' labels answers with all it knows, and is simply wrong on the others; one that
 * knows none of them, or none at all, is judged on choosing among the examples' labels unseen.
 */
function classQueryFor({ classes }: Model, examples: readonly Example[]): ClassificationQuery {
  const rows = examples.flatMap((example) => (example.labels === undefined ? [] : [example.labels]));
  const gold = [...new Set(rows.flat())].sort();
  const learned = classes?.labels ?? [];
  const matching = matcherOf(learned);
  const known = gold.filter((label) => matching(label) !== null);
  if (classes !== null && known.length > 0)
    return { task: ownTask, labels: union(known, learned), multiLabel: classes.multiLabel };
  return { task: ownTask, labels: gold, multiLabel: rows.some((labels) => labels.length !== 1) };
}

/** The labels as the examples write them, and those of the model that the examples do not have. */
function union(gold: readonly string[], learned: readonly string[]): string[] {
  const written = [...new Set(gold)].sort();
  const matching = matcherOf(written);
  return [...written, ...learned.filter((label) => matching(label) === null)];
}
