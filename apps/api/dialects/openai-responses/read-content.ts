import type { JsonObject } from '#domain/json.js';
import type { ContentKind, ContentPart, MediaSource } from '#hosted-models/port.js';
import { isRecord, kindOf } from '../../validation/reader.js';
import type { DialectReader } from '../shared/dialect-reader.js';

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

export const MOST_PARTS = 10_000;

/** A text, or a list of parts: of a message, or of what a function gave. */
export function readContent(reader: DialectReader, value: unknown, path: Path): readonly ContentPart[] {
  if (!Array.isArray(value)) return [{ type: 'text', text: reader.text(value, path, 'a text or a list of parts') }];
  reader.list(value, path, 'parts', MOST_PARTS);
  return value.slice(0, MOST_PARTS).map((part: unknown, index) => readPart(reader, part, [...path, index]));
}

const NOTHING: ContentPart = { type: 'text', text: '' };

function readPart(reader: DialectReader, value: unknown, path: Path): ContentPart {
  const part = reader.record(value, path, 'an object with a type');
  if (!isRecord(value)) return NOTHING;
  const { type } = part;
  const how = typeof type === 'string' && Object.hasOwn(PARTS, type) ? PARTS[type as keyof typeof PARTS] : null;
  if (!how) {
    reader.refuse([...path, 'type'], `must be one of ${Object.keys(PARTS).join(', ')}`, 'not_allowed');
    return NOTHING;
  }
  reader.carryOthers(part, how.known, path);
  const cacheControl = readCacheControl(reader, part['cache_control'], [...path, 'cache_control']);
  return { ...how.read(reader, part, path), ...(cacheControl && { cacheControl }) };
}

/** A caller's cache marker, as it is. */
export function readCacheControl(reader: DialectReader, value: unknown, path: Path): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (isRecord(value)) return value as JsonObject;
  reader.refuse(path, `must be an object, not ${kindOf(value)}`, 'wrong_type');
  return undefined;
}

const known = (...fields: string[]): ReadonlySet<string> => new Set(['type', 'cache_control', ...fields]);

/** What the answers of this API say beside the text comes back with them, and tells the model nothing. */
const TEXT = {
  known: known('text', 'annotations', 'logprobs', 'parsed'),
  read: (reader: DialectReader, part: Fields, path: Path): ContentKind => ({
    type: 'text',
    text: reader.text(part['text'], [...path, 'text']),
  }),
};

const PARTS = {
  input_text: TEXT,
  output_text: TEXT,
  refusal: {
    known: known('refusal', 'parsed'),
    read: (reader: DialectReader, part: Fields, path: Path): ContentKind => ({
      type: 'refusal',
      text: reader.text(part['refusal'], [...path, 'refusal']),
    }),
  },
  input_image: { known: known('image_url', 'file_id', 'detail'), read: readImage },
  input_file: { known: known('file_data', 'file_id', 'file_url', 'filename', 'detail'), read: readFile },
  input_audio: { known: known('input_audio'), read: readAudio },
};

function readImage(reader: DialectReader, part: Fields, path: Path): ContentKind {
  const detail = reader.oneOf(part['detail'], [...path, 'detail'], ['auto', 'low', 'high', 'original']);
  const source = readSource(reader, part, path, { file_id: readFileId, image_url: readAddress });
  return { type: 'image', source, ...(detail !== undefined && { detail }) };
}

function readFile(reader: DialectReader, part: Fields, path: Path): ContentKind {
  const title = reader.optionalString(part['filename'], [...path, 'filename']);
  if (part['detail'] !== 'auto') reader.carry(part['detail'], [...path, 'detail']);
  const source = readSource(reader, part, path, { file_id: readFileId, file_url: readAddress, file_data: readData });
  return { type: 'document', source, ...(title !== undefined && { title }) };
}

function readAudio(reader: DialectReader, part: Fields, path: Path): ContentKind {
  const at = [...path, 'input_audio'];
  const audio = reader.record(part['input_audio'], at, 'an object with data and format');
  return {
    type: 'audio',
    data: reader.string(audio['data'], [...at, 'data'], 'base64'),
    format: reader.oneOf(audio['format'], [...at, 'format'], ['mp3', 'wav']) ?? missingFormat(reader, audio, at),
  };
}

function missingFormat(reader: DialectReader, { format }: Fields, at: Path): string {
  if (format === undefined || format === null) reader.refuse([...at, 'format'], 'is required: mp3 or wav', 'missing');
  return 'wav';
}

type ReadSource = (reader: DialectReader, value: unknown, path: Path) => MediaSource;

/** From the one of its fields that is there. */
function readSource(
  reader: DialectReader,
  part: Fields,
  path: Path,
  fields: Readonly<Record<string, ReadSource>>,
): MediaSource {
  const names = Object.keys(fields);
  const given = names.filter((name) => part[name] !== undefined && part[name] !== null);
  const [name] = given;
  if (given.length === 1) return fields[name!]!(reader, part[name!], [...path, name!]);
  if (given.length === 0) reader.refuse(path, `must have one of ${names.join(', ')}`, 'missing');
  else reader.refuse(path, `must have only one of ${names.join(', ')}, not ${given.join(' and ')}`, 'not_allowed');
  return NO_SOURCE;
}

const NO_SOURCE: MediaSource = { kind: 'text', text: '' };

function readFileId(reader: DialectReader, value: unknown, path: Path): MediaSource {
  return { kind: 'file', id: reader.string(value, path, 'the id of a file') };
}

function readAddress(reader: DialectReader, value: unknown, path: Path): MediaSource {
  const address = reader.string(value, path, 'an address');
  if (address.startsWith('data:')) return readData(reader, address, path);
  if (address !== '' && !/^https?:\/\//i.test(address))
    reader.refuse(path, 'must begin with https://, http:// or data:', 'not_allowed');
  return { kind: 'url', url: address };
}

/** `data:application/pdf;base64,...` */
function readData(reader: DialectReader, value: unknown, path: Path): MediaSource {
  const address = reader.string(value, path, 'a data URL');
  if (address === '') return NO_SOURCE;
  // By hand: it may be megabytes long.
  const comma = address.indexOf(',');
  const [, mediaType] = /^data:([^;,]+)(?:;[^;,]+)*;base64$/i.exec(address.slice(0, Math.min(comma, 256))) ?? [];
  if (comma > 0 && mediaType !== undefined) return { kind: 'base64', mediaType, data: address.slice(comma + 1) };
  reader.refuse(path, 'must be a data URL: data:MEDIA/TYPE;base64,DATA', 'not_allowed');
  return NO_SOURCE;
}
