import type { ContentKind, ContentPart, MediaSource } from '#hosted-models/port.js';
import { isRecord, kindOf } from '../../validation/reader.js';
import { isPresent, type DialectReader } from '../shared/dialect-reader.js';
import { readCacheControl } from './decode-tools.js';

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

export const MOST_PARTS = 10_000;

/** A text, or a list of parts. */
export function readContent(reader: DialectReader, value: unknown, path: Path): readonly ContentPart[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!Array.isArray(value)) {
    if (!isPresent(value)) reader.refuse(path, 'is required: a text or a list of parts', 'missing');
    else reader.refuse(path, `must be a text or a list of parts, not ${kindOf(value)}`, 'wrong_type');
    return [];
  }
  reader.count(path, value.length, 'part', MOST_PARTS);
  return value.slice(0, MOST_PARTS).map((part: unknown, index) => readPart(reader, part, [...path, index]));
}

function readPart(reader: DialectReader, item: unknown, path: Path): ContentPart {
  if (!isRecord(item)) {
    reader.refuse(path, `must be an object with a type, not ${kindOf(item)}`, 'wrong_type');
    return { type: 'text', text: '' };
  }
  const type = reader.string(item['type'], [...path, 'type'], 'the type of the part');
  const read = Object.hasOwn(PARTS, type) ? PARTS[type as keyof typeof PARTS] : undefined;
  if (!read) return { type: 'foreign', style: 'openai', name: type };
  for (const name of Object.keys(item))
    if (name !== 'type' && name !== type && name !== 'cache_control') reader.carry(item[name], [...path, name]);
  return { ...read(reader, item[type], [...path, type]), ...readCacheControl(reader, item, path) };
}

/** By type: each part's content stands under a field of that name. */
const PARTS = {
  text: (reader: DialectReader, value: unknown, path: Path): ContentKind => ({
    type: 'text',
    text: reader.text(value, path),
  }),
  refusal: (reader: DialectReader, value: unknown, path: Path): ContentKind => ({
    type: 'refusal',
    text: reader.text(value, path),
  }),
  image_url: readImage,
  input_audio: readAudio,
  file: readFile,
} as const;

const IMAGE_FIELDS = new Set(['url', 'detail']);

function readImage(reader: DialectReader, value: unknown, path: Path): ContentKind {
  const image = reader.record(value, path, 'an object with url');
  reader.carryOthers(image, IMAGE_FIELDS, path);
  const url = reader.string(image['url'], [...path, 'url'], 'the address of the image');
  const detail = reader.optionalString(image['detail'], [...path, 'detail']);
  return {
    type: 'image',
    source: mediaAt(reader, url, [...path, 'url']),
    ...(detail !== undefined && { detail }),
  };
}

const AUDIO_FIELDS = new Set(['data', 'format']);

function readAudio(reader: DialectReader, value: unknown, path: Path): ContentKind {
  const audio = reader.record(value, path, 'an object with data and format');
  reader.carryOthers(audio, AUDIO_FIELDS, path);
  return {
    type: 'audio',
    format: reader.string(audio['format'], [...path, 'format'], 'wav or mp3'),
    data: reader.string(audio['data'], [...path, 'data'], 'audio in base64'),
  };
}

const FILE_FIELDS = new Set(['file_data', 'file_id', 'filename']);

function readFile(reader: DialectReader, value: unknown, path: Path): ContentKind {
  const file: Fields = reader.record(value, path, 'an object with file_data or file_id');
  reader.carryOthers(file, FILE_FIELDS, path);
  const id = reader.optionalString(file['file_id'], [...path, 'file_id']);
  const data = reader.optionalString(file['file_data'], [...path, 'file_data']);
  const title = reader.optionalString(file['filename'], [...path, 'filename']);
  if (isRecord(value) && (id === undefined) === (data === undefined))
    reader.refuse(path, 'must have either file_data or file_id', id === undefined ? 'missing' : 'not_allowed');
  const source: MediaSource =
    id !== undefined ? { kind: 'file', id } : sourceOf(reader, data ?? '', [...path, 'file_data']);
  return { type: 'document', source, ...(title !== undefined && { title }) };
}

/** Data of a file: a data URL, the address of one, or bare base64, which then is a PDF: the only kind that may be sent so. */
function sourceOf(reader: DialectReader, data: string, path: Path): MediaSource {
  if (/^(?:data|https?):/i.test(data)) return mediaAt(reader, data, path);
  return { kind: 'base64', mediaType: 'application/pdf', data };
}

/** What a URL points at, or holds (RFC 2397). Of those that hold something, base64 is taken. */
function mediaAt(reader: DialectReader, url: string, path: Path): MediaSource {
  if (!/^data:/i.test(url)) return { kind: 'url', url };
  const comma = url.indexOf(',');
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma < 0 ? undefined : comma).split(';');
  if (comma < 0 || mediaType === '' || parameters.at(-1)?.trim().toLowerCase() !== 'base64')
    reader.refuse(path, 'must be an address, or data:<media type>;base64,<data>', 'not_allowed');
  return { kind: 'base64', mediaType: mediaType.toLowerCase(), data: url.slice(comma + 1) };
}
