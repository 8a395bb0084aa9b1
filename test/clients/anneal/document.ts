import { createHash } from 'node:crypto';
import { reachable, withoutDescriptions, type ApiDocument } from '#test/support/api-document.js';

/** Routes whose answers the Python client reads into records. */
const READ = [
  'POST /felix/datasets/upload/url',
  'GET /felix/datasets',
  'GET /felix/datasets/{name}/{version}',
  'GET /felix/datasets/{name}/{version}/report',
  'GET /felix/training-jobs',
  'GET /felix/training-jobs/{id}',
  'GET /felix/training-jobs/{id}/events',
  'POST /felix/training-jobs/{id}/stop',
  'POST /inference',
  'GET /models/{name}',
  'GET /inferences',
  'GET /inferences/{id}',
  'POST /inferences/{id}/feedback',
  'GET /review',
  'POST /review/{id}/skip',
  'GET /improvements/{id}',
];

/** Keyword arguments of the client: fields of a body, or parameters of a query, without those that the client sets itself. */
const SETTINGS: Readonly<Record<string, { readonly of: string; readonly without: readonly string[] }>> = {
  UploadSettings: { of: 'UploadUrlBody', without: ['dataset_name', 'filename', 'file_name', 'type'] },
  TrainingSettings: { of: 'CreateTrainingJobBody', without: ['datasets', 'base_model', 'model_name'] },
  CallSettings: {
    of: 'EncoderInferenceBody',
    without: 'model_id text schema task messages stream is_warmup max_tokens temperature top_p stop'.split(' '),
  },
  FeedbackSettings: { of: 'FeedbackBody', without: ['verdict', 'corrected_output', 'correction'] },
  ImproveSettings: { of: 'ImproveBody', without: [] },
  CallFilters: { of: 'GET /inferences', without: ['limit', 'offset', 'cursor'] },
  ReviewFilters: { of: 'GET /review', without: [] },
};
/** Types of single arguments. */
const ARGUMENTS = ['SchemaDefinition', 'EntityDefinition', 'JobDatasetReference'];

type Schema = Readonly<Record<string, unknown>>;
interface ObjectSchema extends Schema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}
export interface TypesDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, never>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const documentOf = (schemas: Readonly<Record<string, unknown>>): TypesDocument => ({
  ...{ openapi: '3.1.0', info: { title: 'Anneal', version: '1' }, paths: {} },
  components: { schemas },
});

/**
 * Schemas of what the client gets. Words of an enumeration become any text and bounds are left out, so that an older client reads the
 * answers of a newer system; a number may be an integer, which Python tells apart.
 */
export function recordsOf({ paths, components: { schemas } }: ApiDocument): TypesDocument {
  const answers = READ.map((route) =>
    Object.entries(operationOf(paths, route).responses).filter(([status]) => Number(status) < 300),
  );
  return documentOf(lenient(reachable(answers, schemas)) as Schema);
}

/** Schemas of what the client's methods take. */
export function paramsOf({ paths, components: { schemas } }: ApiDocument): TypesDocument {
  const settings = Object.entries(SETTINGS).map(([name, { of, without }]) => {
    const { properties } = of.includes(' ') ? queryOf(paths, of) : (schemas[of] as ObjectSchema);
    const unknown = without.filter((field) => !(field in properties));
    if (unknown.length > 0) throw new Error(`${of} has no ${unknown.join(', ')}`);
    const kept = Object.entries(properties).filter(([field]) => !without.includes(field));
    return [name, { type: 'object', properties: Object.fromEntries(kept) }] as const;
  });
  const own = Object.fromEntries(settings);
  const named = Object.fromEntries(ARGUMENTS.map((name) => [name, schemas[name]]));
  return documentOf({ ...reachable([own, named], schemas), ...named, ...own });
}

/** Says which types were generated: the same for documents that differ in descriptions alone. */
export const structureOf = (document: TypesDocument): string =>
  createHash('sha256')
    .update(JSON.stringify(withoutDescriptions(document)))
    .digest('hex');

function operationOf(paths: ApiDocument['paths'], route: string): ApiDocument['paths'][string][string] {
  const [method = '', path = ''] = route.split(' ');
  const operation = paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The API has no ${route}`);
  return operation;
}

const queryOf = (paths: ApiDocument['paths'], route: string): ObjectSchema => {
  const parameters = operationOf(paths, route).parameters?.filter((each) => each.in === 'query') ?? [];
  return {
    properties: Object.fromEntries(
      parameters.map(({ name, schema, description }) => [name, { ...schema, description }]),
    ),
  };
};

const BOUNDS = new Set(['enum', 'minimum', 'maximum', 'minItems', 'maxItems', 'minLength', 'maxLength', 'pattern']);

/** @param isMap the keys are names, not words of JSON Schema */
function lenient(schema: unknown, isMap = true): unknown {
  if (Array.isArray(schema)) return schema.map((each) => lenient(each, false));
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key]) => isMap || !(BOUNDS.has(key) || key.startsWith('example')));
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (!isMap && key === 'type') return [key, withIntegers(value)];
      return [key, lenient(value, !isMap && key === 'properties')];
    }),
  );
}

function withIntegers(type: unknown): unknown {
  const types = [type].flat();
  return types.includes('number') ? ['integer', ...types] : type;
}
