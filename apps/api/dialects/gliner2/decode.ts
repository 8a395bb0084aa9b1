import { ignore, ignoreOthers } from '../../edge/ignored-fields.js';
import { BodySchema } from '../../edge/validation/body-schema.js';
import { Reader } from '#primitives/reader.js';
import { isPresent, isRecord } from '#primitives/values.js';
import { EXPECTED, nativeSchema, SCHEMA_TASKS, withDefaults } from '#calls/schema/client-schema.js';
import { decodeSchema, refuseSchemaOfNoHead } from '#calls/schema/decode.js';
import { textsOf } from '../native/decode.js';
import { REQUEST_HEADS, type EncoderRequest, type RequestedSchema } from '#calls/encoder-request.js';
import { asSent, sentPath } from './sent-names.js';
import { Gliner2Body, Gliner2Schema } from './dto.js';

/** A request of `POST /gliner-2`, checked. */
export interface Gliner2Request {
  /** null: the default encoder. */
  readonly modelId: string | null;
  readonly encoder: Omit<EncoderRequest, 'modelId'>;
  /** False: as the model's own code has results before it formats them. */
  readonly formatted: boolean;
  /** Entities with at most one wanted value: single values here, not lists. */
  readonly scalarEntities: ReadonlySet<string>;
}

type Body = Readonly<Record<string, unknown>>;

const SCHEMA_FIELDS: ReadonlySet<string> = new Set([
  ...REQUEST_HEADS,
  ...['flat_ner', 'entity_dtype', 'entity_threshold', 'relation_threshold'],
]);

const gliner2Body = new BodySchema(Gliner2Body);
const gliner2Schema = new BodySchema(Gliner2Schema);

/**
 * Checks the body of the GLiNER2 API client; the task determines the form of the schema.
 * @throws InvalidError naming every field that is wrong
 */
export function decodeGliner2Request(sent: unknown): Gliner2Request {
  ignoreOthers(sent, gliner2Body.fields);
  const body = gliner2Body.checked(sent, refuseSchema);
  const reader = new Reader();
  refuseSchema(reader, body);
  const schema = schemaOf(reader, body);
  reader.done();
  return {
    modelId: body.model ?? null,
    encoder: {
      kind: 'encoder',
      texts: textsOf(body.text),
      batch: Array.isArray(body.text),
      schema,
      threshold: body.threshold ?? null,
      store: body.store ?? true,
      projectId: null,
      includeConfidence: body.include_confidence ?? false,
      includeSpans: body.include_spans ?? false,
      explain: false,
      isWarmup: false,
    },
    formatted: body.format_results ?? true,
    scalarEntities: new Set(schema?.entities?.flatMap(({ name, dtype }) => (dtype === 'str' ? [name] : []))),
  };
}

/** @param body of any kind */
function refuseSchema(reader: Reader, body: object): void {
  const { task: given, schema } = body as Body;
  const task = SCHEMA_TASKS.find((each) => each === given) ?? 'schema';
  if (schema === undefined || schema === null)
    reader.refuse(['schema'], `is required and must be ${EXPECTED[task]}`, 'missing');
  if (task === 'schema' && isRecord(schema)) reader.known(schema, SCHEMA_FIELDS, ['schema']);
}

/** @throws InvalidError naming the fields as they were sent */
function schemaOf(reader: Reader, body: Gliner2Body): RequestedSchema | null {
  try {
    const schema = readSchema(reader, body);
    reader.done();
    return schema;
  } catch (error) {
    throw asSent(body, error);
  }
}

function readSchema(reader: Reader, body: Gliner2Body): RequestedSchema | null {
  const { task, schema: given } = body;
  if (task === 'classify_text' && isRecord(given)) {
    const read = isPresent(given['categories']) ? 'categories' : 'classifications';
    for (const name of Object.keys(given)) if (name !== read) ignore(body, ['schema', name]);
  }
  const native = nativeSchema(reader, task ?? 'schema', given);
  reader.done();
  refuseSchemaOfNoHead(reader, native);
  reader.done();
  // Definitions of labels, tasks and fields come from the client's own callers, who may write them for its local models.
  const { schema } = gliner2Schema.checkedOpen({ schema: native }, (path) => {
    if (path.length > 2 || !SCHEMA_FIELDS.has(String(path[1]))) ignore(body, sentPath(body, path));
  });
  return withDefaults(reader, decodeSchema(reader, schema), given);
}
