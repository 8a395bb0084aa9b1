import type {
  ClassHit,
  InferHead,
  InferRequest,
  InferResponse,
  InferResult,
  LoadedModel,
  ModelAbilities,
  StructureQuery,
} from '../../engine.js';
import type { Steps } from '../../steps.js';
import { loadClassificationHead, nameVectorsOf } from '../classification/index.js';
import { loadLayeredHead } from '../entities/index.js';
import { evaluationFigures } from '../../evaluation-figures.js';
import { OWN_TASK } from '../../evaluation-queries.js';
import type { HeadState } from '../head.js';
import { taskOfHead } from '../task-heads.js';
import { loadRelationHead } from '../relations/index.js';
import { loadStructureHead, type StructureHead } from '../structures/index.js';
import { segmentTokens } from '../text/segments.js';
import type { LoadedBase } from './base.js';
import { planClassification, type ClassPlan } from './class-answers.js';
import { unusedDescriptions } from './descriptions.js';
import { planEntities } from './entity-answers.js';
import { keptRowsOf, planExplanation } from './explanation.js';
import { learnedTextsOf, taskJudge } from './likeness.js';
import { requireHeads, TRAINED_HEADS, type ModelHeads, type TrainedTask } from './heads.js';
import { predict } from './predictions.js';
import { planRelations } from './relation-answers.js';
import { planStructures } from './structure-answers.js';
import { matcherOf } from '../../matching-labels.js';

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
  const model = loadHeads(base, heads, directory);
  const { entities, classes, structures, relations, rows, texts } = model;
  return {
    abilities: {
      entityLabels: entities?.labels ?? null,
      ...classAbilities(classes),
      ...(structures && { structures: structures.shapes.map(ownQuery) }),
      ...(relations && { relations: relations.relations.map(({ name }) => name) }),
    },
    byteSize: byteSize + (rows?.byteSize ?? 0) + (texts?.byteSize ?? 0),
    infer: (request) => infer(model, request),
    evaluate(examples, onExample) {
      const predictions = predict(model, examples, onExample);
      return { figures: evaluationFigures(examples, predictions), predictions };
    },
  };
}

/** As `createModel`. */
export function loadHeads(
  base: LoadedBase,
  heads: Readonly<Record<string, HeadState>>,
  directory: string | null = null,
): ModelHeads {
  const entities =
    heads['entities'] === undefined ? null : loadLayeredHead(heads['entities'], base.tagger, base.encoder);
  const classes = Object.entries(heads).flatMap(([key, state]) => {
    const task = taskOfHead(key, state);
    return task === null ? [] : [{ task, ...loadClassificationHead(state, base.sentences) }];
  });
  const names = base.encoder && nameVectorsOf(base.encoder);
  const structures =
    heads['structures'] === undefined
      ? null
      : loadStructureHead(heads['structures'], base.tagger, base.encoder, base.sentences);
  const relations =
    heads['relations'] === undefined ? null : loadRelationHead(heads['relations'], base.tagger, base.encoder);
  const rows = directory === null ? null : keptRowsOf(directory, heads['classification'], base.encoder);
  const texts = directory === null ? null : learnedTextsOf(directory, base.encoder);
  return { base, entities, classes: classes.toSorted(byTask), names, structures, relations, rows, texts };
}

const byTask = (a: TrainedTask, b: TrainedTask): number => (a.task < b.task ? -1 : 1);

function classAbilities(classes: readonly TrainedTask[]): Pick<ModelAbilities, 'classLabels' | 'multiLabel' | 'tasks'> {
  const own = classes.find(({ task }) => task === OWN_TASK);
  const tasks = classes
    .filter((each) => each !== own)
    .map(({ task, labels, multiLabel }) => ({ task, labels, multiLabel }));
  return {
    classLabels: own?.labels ?? null,
    multiLabel: own?.multiLabel ?? false,
    ...(tasks.length > 0 && { tasks }),
  };
}

function* infer(
  model: ModelHeads,
  { texts, schema, threshold, explain, likeness: isLikenessAsked = false }: InferRequest,
): Steps<InferResponse> {
  requireHeads(
    model,
    TRAINED_HEADS.filter((head) => schema[head] !== undefined),
  );
  const entityPlan =
    schema.entities === undefined
      ? null
      : planEntities(schema.entities, model, { threshold, flat: schema.flatNer !== false });
  const classPlans: ClassPlan[] = [];
  for (const query of schema.classifications ?? []) classPlans.push(yield* planClassification(query, model, threshold));

  const structurePlan =
    schema.structures === undefined ? null : planStructures(schema.structures, model.structures!, threshold);
  const relationPlan =
    schema.relations === undefined ? null : planRelations(schema.relations, model.relations!, threshold);

  const explanation = explain && planExplanation(explain, learnedHeads(model, schema, classPlans), model.rows);

  const learned = isLikenessAsked ? model.texts?.read() : null;
  const judges = classPlans.flatMap(({ head }) => (head === null || head.multiLabel ? [] : [taskJudge(head)]));

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
    const likeness = learned && (yield* learned.likenessOf(text, truncated, judges));
    results.push({
      ...(found === undefined ? {} : { entities: found.entities }),
      ...(classes.length === 0 ? {} : { classifications: Object.fromEntries(classes) }),
      ...(records === undefined ? {} : { structures: records.structures }),
      ...(related === undefined ? {} : { relations: related.relations }),
      ...explanation?.answer(text),
      ...(likeness && { likeness }),
      truncated,
    });
  }
  const warnings = [entityPlan, ...classPlans, structurePlan, relationPlan, explanation].flatMap(
    (plan) => plan?.warnings ?? [],
  );
  const classifications = schema.classifications?.filter((_, index) => classPlans[index]!.head !== null);
  warnings.push(...unusedDescriptions({ ...schema, ...(classifications && { classifications }) }));
  return { results, warnings, inputTokens };
}

/** Trained heads with a request for something that they learned. */
function learnedHeads(
  { entities, structures, relations }: ModelHeads,
  schema: InferRequest['schema'],
  classPlans: readonly ClassPlan[],
): readonly InferHead[] {
  const isKnown = (labels: readonly string[] = [], queries: readonly { readonly name: string }[] = []) => {
    const matching = matcherOf(labels);
    return queries.some(({ name }) => matching(name) !== null);
  };
  const learned: Readonly<Record<InferHead, boolean>> = {
    classifications: classPlans.some(({ head }) => head !== null),
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
