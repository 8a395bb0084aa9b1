import {
  UnsupportedHeadError,
  type ClassHit,
  type ClassificationQuery,
  type EntityHit,
  type Example,
  type InferHead,
  type InferRequest,
  type InferResponse,
  type InferResult,
  type LabelledRecord,
  type LabelledRelation,
  type LoadedModel,
  type Prediction,
  type StructureQuery,
} from '../../engine.js';
import { drain, type Steps } from '../../steps.js';
import {
  loadClassificationHead,
  nameVectorsOf,
  type ClassificationHead,
  type NameVectors,
} from '../classification/index.js';
import { loadLayeredHead, type LayeredHead } from '../entities/index.js';
import { evaluationFigures } from '../../evaluation-figures.js';
import type { HeadState } from '../head.js';
import { loadRelationHead, type RelationHead } from '../relations/index.js';
import { groupRecords, loadStructureHead, type StructureHead } from '../structures/index.js';
import { segmentTokens } from '../text/segments.js';
import type { LoadedBase } from './base.js';
import { planClassification, type ClassPlan } from './class-answers.js';
import { unusedDescriptions } from './descriptions.js';
import { planEntities } from './entity-answers.js';
import { keptRowsOf, planExplanation, type LazyRows } from './explanation.js';
import { planRelations } from './relation-answers.js';
import { planStructures } from './structure-answers.js';
import { matcherOf } from '../../matching-labels.js';

/** Name of the label group when a trained model answers with its own labels. */
const ownTask = 'classification';
/** Heads that only training gives. */
const TRAINED_HEADS = ['structures', 'relations'] as const;
/** The threshold of evaluations, since a gold row has no confidence. */
const evaluationThreshold = 0.5;

/**
 * A base with the heads of an adapter on it, or alone.
 * @param heads of the adapter; none for the base alone
 * @param byteSize of the adapter
 * @param directory of the adapter, if it may name the rows that it learned from
 * @throws ArtifactError when a head is damaged
 */
export function createModel(
  base: LoadedBase,
  heads: Readonly<Record<string, HeadState>>,
  byteSize: number,
  directory: string | null = null,
): LoadedModel {
  const entities =
    heads['entities'] === undefined ? null : loadLayeredHead(heads['entities'], base.tagger, base.encoder);
  const classes =
    heads['classification'] === undefined ? null : loadClassificationHead(heads['classification'], base.sentences);
  const names = base.encoder && nameVectorsOf(base.encoder);
  const structures =
    heads['structures'] === undefined ? null : loadStructureHead(heads['structures'], base.tagger, base.encoder);
  const relations =
    heads['relations'] === undefined ? null : loadRelationHead(heads['relations'], base.tagger, base.encoder);
  const rows = directory === null ? null : keptRowsOf(directory, heads['classification'], base.encoder);
  const model: Model = { base, entities, classes, names, structures, relations, rows };
  return {
    abilities: {
      entityLabels: entities?.labels ?? null,
      classLabels: classes?.labels ?? null,
      multiLabel: classes?.multiLabel ?? false,
      ...(structures && { structures: structures.shapes.map(ownQuery) }),
      ...(relations && { relations: relations.relations.map(({ name }) => name) }),
    },
    byteSize: byteSize + (rows?.byteSize ?? 0),
    infer: (request) => infer(model, request),
    evaluate(examples, onExample) {
      const predictions = predict(model, examples, onExample);
      return { figures: evaluationFigures(examples, predictions), predictions };
    },
  };
}

interface Model {
  readonly base: LoadedBase;
  readonly entities: LayeredHead | null;
  readonly classes: ClassificationHead | null;
  /** Null if the base has no encoder. */
  readonly names: NameVectors | null;
  readonly structures: StructureHead | null;
  readonly relations: RelationHead | null;
  /** Null if the model keeps none. */
  readonly rows: LazyRows | null;
}

function* infer(model: Model, { texts, schema, threshold, explain }: InferRequest): Steps<InferResponse> {
  requireHeads(
    model,
    TRAINED_HEADS.filter((head) => schema[head] !== undefined),
  );
  const entityPlan =
    schema.entities === undefined
      ? null
      : planEntities(schema.entities, model, { threshold, flat: schema.flatNer !== false });
  const classPlans: ClassPlan[] = [];
  for (const query of schema.classifications ?? [])
    classPlans.push(yield* planClassification(query, model.classes, model.names, model.base.table, threshold));

  const structurePlan =
    schema.structures === undefined ? null : planStructures(schema.structures, model.structures!, threshold);
  const relationPlan =
    schema.relations === undefined ? null : planRelations(schema.relations, model.relations!, threshold);

  const explanation = explain && planExplanation(explain, learnedHeads(model, schema, classPlans), model.rows);

  const results: InferResult[] = [];
  const inputTokens: number[] = [];
  for (const text of texts) {
    const found = entityPlan === null ? undefined : yield* entityPlan.answer(text);
    const records = structurePlan === null ? undefined : yield* structurePlan.answer(text);
    const related = relationPlan === null ? undefined : yield* relationPlan.answer(text);
    const read = entityPlan?.readsText === true ? found : (records ?? related);
    inputTokens.push(read?.inputTokens ?? (yield* countTokens(text)));
    const classes: [task: string, hits: readonly ClassHit[]][] = [];
    let truncated = [found, records, related].some((each) => each?.truncated === true);
    for (const plan of classPlans) {
      const answer = plan.answer(text);
      classes.push([plan.task, answer.hits]);
      truncated ||= answer.truncated;
      yield;
    }
    results.push({
      ...(found === undefined ? {} : { entities: found.entities }),
      ...(classes.length === 0 ? {} : { classifications: Object.fromEntries(classes) }),
      ...(records === undefined ? {} : { structures: records.structures }),
      ...(related === undefined ? {} : { relations: related.relations }),
      ...explanation?.answer(text),
      truncated,
    });
  }
  const warnings = [entityPlan, ...classPlans, structurePlan, relationPlan, explanation].flatMap(
    (plan) => plan?.warnings ?? [],
  );
  const classifications = schema.classifications?.filter((_, index) => classPlans[index]!.isTrained);
  warnings.push(...unusedDescriptions({ ...schema, ...(classifications && { classifications }) }));
  return { results, warnings, inputTokens };
}

/** Trained heads with a request for something that they learned. */
function learnedHeads(
  { entities, structures, relations }: Model,
  schema: InferRequest['schema'],
  classPlans: readonly ClassPlan[],
): readonly InferHead[] {
  const isKnown = (labels: readonly string[] = [], queries: readonly { readonly name: string }[] = []) => {
    const matching = matcherOf(labels);
    return queries.some(({ name }) => matching(name) !== null);
  };
  const learned: Readonly<Record<InferHead, boolean>> = {
    classifications: classPlans.some(({ isTrained }) => isTrained),
    entities: isKnown(entities?.labels, schema.entities),
    structures: isKnown(
      structures?.shapes.map(({ name }) => name),
      schema.structures,
    ),
    relations: isKnown(
      relations?.relations.map(({ name }) => name),
      schema.relations,
    ),
  };
  return (Object.keys(learned) as InferHead[]).filter((head) => learned[head]);
}

/** @throws UnsupportedHeadError naming the first that the model was not trained for, and those that it has */
function requireHeads(model: Model, heads: readonly (typeof TRAINED_HEADS)[number][]): void {
  const has = { structures: model.structures !== null, relations: model.relations !== null };
  const lacking = heads.find((head) => !has[head]);
  if (lacking === undefined) return;
  const own = ['entities', 'classifications', ...TRAINED_HEADS.filter((head) => has[head])];
  throw new UnsupportedHeadError(lacking, `the model has no ${lacking} head; it does ${own.join(' and ')}`);
}

/** A structure in the form of a request, when the model answers with its own labels. */
function ownQuery({ name, fields }: StructureHead['shapes'][number]): StructureQuery {
  return {
    name,
    fields: fields.map(({ name: field, isList }) => ({ name: field, dtype: isList ? 'list' : 'str' })),
  };
}

function* countTokens(text: string): Steps<number> {
  let count = 0;
  for (const tokens of segmentTokens(text)) {
    count += tokens.length;
    yield;
  }
  return count;
}

/**
 * Predictions for the heads that each example is labelled for, under the labels of the examples and the learned ones;
 * with nested spans if the model learned such.
 */
function predict(model: Model, examples: readonly Example[], onExample?: () => void): Prediction[] {
  requireHeads(
    model,
    TRAINED_HEADS.filter((head) => examples.some((example) => (example[head]?.length ?? 0) > 0)),
  );
  const gold = examples.flatMap((example) => (example.entities ?? []).map((entity) => entity.label));
  const entityPlan = planEntities(
    union(gold, model.entities?.labels ?? []).map((name) => ({ name })),
    model,
    { threshold: evaluationThreshold, flat: (model.entities?.inner ?? []).length === 0 },
  );
  const classQuery = classQueryFor(model, examples);
  const classPlan = drain(
    planClassification(classQuery, model.classes, model.names, model.base.table, evaluationThreshold),
  );
  const predicted = (example: Example): Prediction => ({
    text: example.text,
    ...(example.entities === undefined
      ? {}
      : foundEntities(Object.values(drain(entityPlan.answer(example.text)).entities).flat())),
    ...(example.labels === undefined || classQuery.labels.length === 0
      ? {}
      : foundLabels(classPlan.answer(example.text).hits)),
    ...(example.relations === undefined
      ? {}
      : { relations: model.relations === null ? [] : relationsIn(example.text, model.relations) }),
    ...(example.structures === undefined
      ? {}
      : { structures: model.structures === null ? [] : recordsIn(example.text, model.structures) }),
  });
  return examples.map((example) => {
    const prediction = predicted(example);
    onExample?.();
    return prediction;
  });
}

function foundEntities(hits: readonly EntityHit[]): Pick<Prediction, 'entities' | 'entityConfidences'> {
  const inOrder = hits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  return {
    entities: inOrder.map(({ start, end, label }) => ({ start, end, label })),
    entityConfidences: inOrder.map(({ confidence }) => confidence),
  };
}

const foundLabels = (hits: readonly ClassHit[]): Pick<Prediction, 'labels' | 'labelConfidences'> => ({
  labels: hits.map(({ label }) => label),
  labelConfidences: hits.map(({ confidence }) => confidence),
});

const relationsIn = (text: string, relationHead: RelationHead): readonly LabelledRelation[] =>
  drain(relationHead.find(text, evaluationThreshold)).relations.map(({ name, head, tail }) => ({
    name,
    head: { start: head.start, end: head.end },
    tail: { start: tail.start, end: tail.end },
  }));

function recordsIn(text: string, head: StructureHead): readonly LabelledRecord[] {
  const { values } = drain(head.find(text, evaluationThreshold));
  return head.shapes.flatMap(({ name, fields }) =>
    groupRecords(
      values.filter(({ structure }) => structure === name),
      fields,
    ).map((record) => ({
      name,
      fields: fields.flatMap((field) => {
        const own = record
          .filter((value) => value.field === field.name)
          .map(({ hit: { start, end } }) => ({ start, end }));
        return own.length === 0 ? [] : [{ ...field, values: own }];
      }),
    })),
  );
}

/**
 * A classifier that knows any of the examples' labels answers with all its labels, and is wrong on the others; one that
 * knows none of them, or has no labels, is judged on choosing among the examples' labels unseen.
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

/** The labels as the examples write them, and those of the model that the examples lack. */
function union(gold: readonly string[], learned: readonly string[]): string[] {
  const written = [...new Set(gold)].sort();
  const matching = matcherOf(written);
  return [...written, ...learned.filter((label) => matching(label) === null)];
}
