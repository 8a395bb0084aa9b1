import { VERBOSITIES, type ResponseFormat, type Verbosity } from '#calls/hosted/port.js';
import { REQUEST_HEADS } from '#calls/encoder-request.js';
import { isPresent, isRecord } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import type { ResponsesFormat, ResponsesText } from './dto.js';

type Fields = Readonly<Record<string, unknown>>;

interface AskedText {
  readonly responseFormat?: ResponseFormat;
  readonly verbosity?: Verbosity;
}

const TEXT = new Set(['format', 'verbosity']);
const PATH = ['text', 'format'];

/** Decodes `text`: the format and length of the answer. */
export function textOf(reader: DialectReader, text: ResponsesText | null | undefined): AskedText {
  if (!isPresent(text)) return {};
  reader.carryOthers(text, TEXT, ['text']);
  const verbosity = VERBOSITIES.find((each) => each === text.verbosity);
  return {
    ...(isPresent(text.format) && formatOf(reader, text.format)),
    ...(verbosity !== undefined && { verbosity }),
  };
}

const PLAIN = new Set(['type']);
const FORMAT = new Set(['type', 'name', 'description', 'schema', 'strict']);

function formatOf(reader: DialectReader, format: ResponsesFormat): AskedText {
  const { type, name, schema, description, strict } = format;
  if (isNativeSchema(schema)) return {};
  reader.carryOthers(format, type === 'json_schema' ? FORMAT : PLAIN, PATH);
  if (type !== 'json_schema') return type === 'json_object' ? { responseFormat: { type } } : {};
  return {
    responseFormat: {
      type,
      name: name!,
      schema: schema!,
      ...(isPresent(description) && { description }),
      ...(isPresent(strict) && { strict }),
    },
  };
}

/** The encoder schema in `text.format`, if there is one. @param text of any type */
export function nativeSchemaIn(text: unknown): unknown {
  const format = isRecord(text) ? text['format'] : null;
  return isRecord(format) && isNativeSchema(format['schema']) ? format['schema'] : undefined;
}

/**
 * Whether a schema is for an encoder: a list of labels, or an object with one of the heads and none of `type`,
 * `properties` and `$ref`, one of which every JSON schema of an object has.
 */
function isNativeSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return true;
  return (
    isRecord(schema) &&
    REQUEST_HEADS.some((head) => has(schema, head)) &&
    !OF_JSON_SCHEMA.some((key) => has(schema, key))
  );
}

const OF_JSON_SCHEMA = ['type', 'properties', '$ref'];
const has = (schema: Fields, key: string): boolean => Object.hasOwn(schema, key) && isPresent(schema[key]);
