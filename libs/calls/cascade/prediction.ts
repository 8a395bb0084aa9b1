import type { Json, JsonObject } from '#domain/json.js';
import type { AnswerMapping } from '#distillation/mapping/mapping.js';
import type { Prediction } from '#distillation/mapping/write.js';
import type { ClassHit, InferResult, InferSchema, ValueHit } from '#gpu-runner/contract/schema.js';

/** What a model found, in the form of a row of the mapping. @param schema the one that applied */
export function predictionOf({ kind }: AnswerMapping, result: InferResult, schema: InferSchema): Prediction {
  const { entities = {}, structures = {}, classifications = {} } = result;
  const classes = (schema.classifications ?? []).map(
    ({ task, multiLabel }) => [task, labelsOf(classifications[task], multiLabel)] as const,
  );
  if (kind === 'labels') return { labels: [classes[0]?.[1] ?? []].flat() };
  const hits = Object.values(entities).flat();
  return {
    entities: hits.toSorted((a, b) => a.start - b.start).map(({ text, label }) => [text, label]),
    json_structures: Object.entries(structures).flatMap(([name, records]) =>
      records.map((record): JsonObject => ({ [name]: fieldsOf(record, schema, name) })),
    ),
    labels: Object.fromEntries(classes),
  };
}

const labelsOf = (hits: readonly ClassHit[] = [], multiLabel: boolean): Json =>
  multiLabel ? hits.map(({ label }) => label) : (hits[0]?.label ?? null);

function fieldsOf(
  record: Readonly<Record<string, readonly ValueHit[]>>,
  schema: InferSchema,
  name: string,
): JsonObject {
  const lists = new Set(
    schema.structures
      ?.find((structure) => structure.name === name)
      ?.fields.flatMap((field) => (field.dtype === 'list' ? [field.name] : [])),
  );
  return Object.fromEntries(
    Object.entries(record).flatMap(([field, hits]): (readonly [string, Json])[] => {
      if (hits.length === 0) return [];
      if (lists.has(field)) return [[field, hits.map(({ text }) => text)]];
      return [[field, hits.reduce((best, hit) => (hit.confidence > best.confidence ? hit : best)).text]];
    }),
  );
}
