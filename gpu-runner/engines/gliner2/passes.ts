import type {
  ClassificationQuery,
  EntityQuery,
  FieldQuery,
  InferSchema,
  RelationQuery,
  StructureQuery,
} from '../engine.js';

/** A part of a schema, with the order in which the model reads the parts of one pass. */
export type Task =
  | { readonly kind: 'structure'; readonly name: string; readonly query: StructureQuery }
  | { readonly kind: 'entities'; readonly name: 'entities'; readonly queries: readonly EntityQuery[] }
  | { readonly kind: 'relation'; readonly name: string; readonly query: RelationQuery }
  | { readonly kind: 'classification'; readonly name: string; readonly query: ClassificationQuery };

const ORDER: readonly Task['kind'][] = ['structure', 'entities', 'relation', 'classification'];
/** Names of parts in the package's results, which no other part may have beside them. */
const TAKEN = ['entities', 'relation_extraction'];

/**
 * The parts of a schema in as few passes as their names allow. What a model finds for one part depends on the others of its pass, and
 * the package tells the parts of a pass apart by name: the torch engine, which asks the package, makes the same passes.
 */
export function passesOf(schema: InferSchema): readonly (readonly Task[])[] {
  const passes: Task[][] = [];
  for (const task of tasksOf(schema)) {
    const fits = (pass: readonly Task[]) =>
      task.kind === 'entities' || (!TAKEN.includes(task.name) && pass.every(({ name }) => name !== task.name));
    const pass = passes.find(fits);
    if (pass) pass.push(task);
    else passes.push([task]);
  }
  return passes.map((pass) => pass.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind)));
}

function* tasksOf({ entities, classifications, structures, relations }: InferSchema): Generator<Task> {
  if (entities && entities.length > 0) yield { kind: 'entities', name: 'entities', queries: lastNamed(entities) };
  for (const query of classifications ?? [])
    yield { kind: 'classification', name: query.task, query: { ...query, labels: [...new Set(query.labels)] } };
  for (const query of structures ?? [])
    if (query.fields.length > 0)
      yield { kind: 'structure', name: query.name, query: { ...query, fields: lastNamed<FieldQuery>(query.fields) } };
  for (const query of relations ?? []) yield { kind: 'relation', name: query.name, query };
}

/** Of several with one name the last, in the place of the first. */
const lastNamed = <Query extends { readonly name: string }>(queries: readonly Query[]): readonly Query[] => [
  ...new Map(queries.map((query) => [query.name, query])).values(),
];
