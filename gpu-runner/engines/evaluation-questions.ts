import { classQueriesOf, foundClasses, foundEntities, learnedTasks, tasksOf, union } from './evaluation-queries.js';
import { matcherOf } from './matching-labels.js';
import type {
  Example,
  FieldQuery,
  InferResult,
  InferSchema,
  LabelledRecord,
  ModelAbilities,
  Prediction,
  RelationQuery,
  Span,
  Stretch,
  StructureQuery,
  ValueHit,
} from './engine.js';

/** What a model is asked about examples that are labelled for the same heads. */
interface Question {
  /** Empty when there is nothing to ask for. */
  readonly schema: InferSchema;
  /** Each with its place among all examples. */
  readonly rows: readonly (readonly [number, Example])[];
}

/** Questions for the heads that each example is labelled for, under the labels of the examples and those that the model learned. */
export function questionsOf(abilities: ModelAbilities, examples: readonly Example[]): readonly Question[] {
  const schema = schemaOf(abilities, examples);
  const groups = Map.groupBy(examples.entries(), ([, example]) =>
    JSON.stringify([headsOf(example), tasksOf(example).map(({ task }) => task)]),
  );
  return [...groups.values()].map((rows) => ({ rows, schema: askedOf(schema, rows[0]![1]) }));
}

type Heads = Omit<InferSchema, 'flatNer'>;

const HEADS = {
  entities: 'entities',
  structures: 'structures',
  relations: 'relations',
} as const satisfies Readonly<Partial<Record<keyof Example, keyof Heads>>>;
const ROW_HEADS = Object.keys(HEADS) as readonly (keyof typeof HEADS)[];

/** The heads that an example is labelled for. */
const headsOf = (example: Example): readonly (keyof typeof HEADS)[] =>
  ROW_HEADS.filter((head) => example[head] !== undefined);

/** The part of a schema that an example is labelled for. */
function askedOf({ flatNer, ...schema }: InferSchema, example: Example): InferSchema {
  const heads: Partial<InferSchema> = Object.fromEntries(
    headsOf(example).flatMap((head) => (schema[HEADS[head]] ? [[HEADS[head], schema[HEADS[head]]]] : [])),
  );
  const names = new Set(tasksOf(example).map(({ task }) => task));
  const classifications = schema.classifications?.filter(({ task }) => names.has(task)) ?? [];
  return {
    ...heads,
    ...(classifications.length > 0 && { classifications }),
    ...(heads.entities && flatNer === false && { flatNer }),
  };
}

/**
 * All heads that the examples are labelled for, and what the model learned of them. A head without any label is left
 * out.
 */
function schemaOf(abilities: ModelAbilities, examples: readonly Example[]): InferSchema {
  const entities = union(
    examples.flatMap((example) => (example.entities ?? []).map(({ label }) => label)),
    abilities.entityLabels ?? [],
  );
  const classes = classQueriesOf(learnedTasks(abilities), examples);
  const structures = structuresOf(examples, abilities.structures ?? []);
  const relations = union(
    examples.flatMap((example) => (example.relations ?? []).map(({ name }) => name)),
    abilities.relations ?? [],
  );
  return {
    ...(entities.length > 0 && {
      entities: entities.map((name) => ({ name })),
      flatNer: !examples.some(({ entities: spans = [] }) => overlap(spans)),
    }),
    ...(classes.length > 0 && { classifications: classes }),
    ...(structures.length > 0 && { structures }),
    ...(relations.length > 0 && { relations: relations.map((name): RelationQuery => ({ name })) }),
  };
}

/** The structures of the examples and those learned, with the fields of both. */
function structuresOf(examples: readonly Example[], learned: readonly StructureQuery[]): readonly StructureQuery[] {
  const records = examples.flatMap((example) => example.structures ?? []);
  const names = union(
    records.map(({ name }) => name),
    learned.map(({ name }) => name),
  );
  return names.map((name) => {
    const matching = matcherOf([name]);
    const gold = records.filter((record) => record.name === name).flatMap(({ fields }) => fields);
    const own = learned.filter((query) => matching(query.name) !== null).flatMap(({ fields }) => fields);
    const fieldNames = union(
      gold.map((field) => field.name),
      own.map((field) => field.name),
    );
    const isList = (field: string) =>
      gold.some((each) => each.name === field && each.isList) ||
      own.some((each) => each.name === field && each.dtype === 'list');
    return {
      name,
      fields: fieldNames.map((field): FieldQuery => ({ name: field, dtype: isList(field) ? 'list' : 'str' })),
    };
  });
}

/** The prediction for an example, for the heads that it is labelled for. */
export function predictionOf(example: Example, result: Partial<InferResult>): Prediction {
  const { text, entities, structures, relations } = example;
  return {
    text,
    ...(result.certainty !== undefined && { certainty: result.certainty }),
    ...(entities && foundEntities(Object.values(result.entities ?? {}).flat())),
    ...foundClasses(example, (task) => result.classifications?.[task] ?? []),
    ...(structures && { structures: foundRecords(text, result) }),
    ...(relations && { relations: foundRelations(result) }),
  };
}

/** A value with another text than its place has is a choice that is said there. */
function foundRecords(text: string, { structures = {} }: Partial<InferResult>): readonly LabelledRecord[] {
  return Object.entries(structures).flatMap(([name, records]) =>
    records.map((record) => ({
      name,
      fields: Object.entries(record).flatMap(([field, hits]) => {
        const values = hits.flatMap((hit) =>
          stretchOf(hit).map((place) => ({
            ...place,
            ...(text.slice(place.start, place.end) !== hit.text && { choice: hit.text }),
          })),
        );
        const choices = hits.filter(({ start }) => start === undefined).map((hit) => hit.text);
        return hits.length === 0
          ? []
          : [{ name: field, isList: hits.length > 1, values, ...(choices.length > 0 && { choices }) }];
      }),
    })),
  );
}

const foundRelations = ({ relations = {} }: Partial<InferResult>): NonNullable<Example['relations']> =>
  Object.entries(relations).flatMap(([name, pairs]) =>
    pairs.flatMap(({ head, tail }) =>
      stretchOf(head).flatMap((from) => stretchOf(tail).map((to) => ({ name, head: from, tail: to }))),
    ),
  );

const stretchOf = ({ start, end }: ValueHit): readonly Stretch[] =>
  start === undefined || end === undefined ? [] : [{ start, end }];

function overlap(spans: readonly Span[]): boolean {
  const inOrder = spans.toSorted((a, b) => a.start - b.start);
  return inOrder.some(({ start }, at) => at > 0 && start < inOrder[at - 1]!.end);
}
