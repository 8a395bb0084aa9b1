import type { JsonObject } from '#domain/json.js';
import { VERBOSITIES, type ResponseFormat, type Verbosity } from '#hosted-models/port.js';
import { HEADS } from '#calls/encoder-request.js';
import { isRecord, kindOf } from '../../validation/reader.js';
import type { DialectReader } from '../shared/dialect-reader.js';

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

export interface AskedText {
  readonly responseFormat?: ResponseFormat;
  readonly verbosity?: Verbosity;
  /** What an encoder is asked, where the format's schema is of its kind. */
  readonly nativeSchema?: unknown;
}

const TEXT = new Set(['format', 'verbosity']);
const FORMATS = ['text', 'json_object', 'json_schema'] as const;
const PATH = ['text', 'format'];

/** `text`: the format of the answer, and how long it is to be. */
export function readText(reader: DialectReader, value: unknown): AskedText {
  if (value === undefined || value === null) return {};
  const text = reader.record(value, ['text'], 'an object');
  const verbosity = reader.oneOf(text['verbosity'], ['text', 'verbosity'], VERBOSITIES);
  reader.carryOthers(text, TEXT, ['text']);
  const format = text['format'];
  return {
    ...(format !== undefined && format !== null && readFormat(reader, format)),
    ...(verbosity !== undefined && { verbosity }),
  };
}

const PLAIN = new Set(['type']);
const FORMAT = new Set(['type', 'name', 'description', 'schema', 'strict']);

function readFormat(reader: DialectReader, value: unknown): AskedText {
  const format = reader.record(value, PATH, 'an object with a type');
  if (!isRecord(value)) return {};
  const { schema } = format;
  if (isNativeSchema(schema)) return { nativeSchema: schema };
  const type = reader.oneOf(format['type'], [...PATH, 'type'], FORMATS);
  if (type === undefined && (format['type'] === undefined || format['type'] === null))
    reader.refuse([...PATH, 'type'], `is required: ${FORMATS.join(', ')}`, 'missing');
  reader.carryOthers(format, type === 'json_schema' ? FORMAT : PLAIN, PATH);
  if (type !== 'json_schema') return type === 'json_object' ? { responseFormat: { type } } : {};
  const description = format['description'] ?? undefined;
  const strict = format['strict'] ?? undefined;
  return {
    responseFormat: {
      type,
      name: reader.string(format['name'], [...PATH, 'name'], 'a name for the schema'),
      schema: readSchema(reader, schema, [...PATH, 'schema']),
      ...(description !== undefined && { description: reader.text(description, [...PATH, 'description']) }),
      ...(strict !== undefined && { strict: reader.boolean(strict, [...PATH, 'strict'], false) }),
    },
  };
}

function readSchema(reader: DialectReader, value: unknown, path: Path): JsonObject {
  if (isRecord(value)) return value as JsonObject;
  if (value === undefined || value === null) reader.refuse(path, 'is required: a JSON schema', 'missing');
  else reader.refuse(path, `must be a JSON schema, not ${kindOf(value)}`, 'wrong_type');
  return {};
}

/**
 * Whether a schema asks an encoder: a list of labels, or an object that has one of the heads and neither `type` nor `properties`
 * nor `$ref`, one of which every JSON schema of an object has.
 */
function isNativeSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return true;
  return isRecord(schema) && HEADS.some((head) => has(schema, head)) && !OF_JSON_SCHEMA.some((key) => has(schema, key));
}

const OF_JSON_SCHEMA = ['type', 'properties', '$ref'];
const has = (schema: Fields, key: string): boolean => Object.hasOwn(schema, key) && (schema[key] ?? null) !== null;
