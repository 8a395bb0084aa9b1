import type { JsonObject } from '#domain/json.js';
import type { ContentKind, ContentPart, MediaSource } from '#calls/hosted/port.js';
import { isPresent } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import type { ResponsesContent, ResponsesPart } from './dto-input.js';

type Path = readonly (string | number)[];

/**
 * Decodes a text or a list of parts, of a message or of a function's output.
 * @param path of the item that has it as that field
 */
export function contentOf(
  reader: DialectReader,
  content: ResponsesContent,
  path: Path,
  field: 'content' | 'output',
): readonly ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part, index) => partOf(reader, part, [...path, field, index]));
}

function partOf(reader: DialectReader, part: ResponsesPart, path: Path): ContentPart {
  reader.carryOthers(part, KNOWN[part.type], path);
  return { ...kindOf(reader, part, path), ...markerOf(part) };
}

/** A caller's cache marker, unchanged. */
export const markerOf = ({
  cache_control: cacheControl,
}: {
  readonly cache_control?: JsonObject | null;
}): { cacheControl?: JsonObject } => (cacheControl ? { cacheControl } : {});

const known = (...fields: string[]): ReadonlySet<string> => new Set(['type', 'cache_control', ...fields]);

/** Fields of this API's answers, which clients send back and which mean nothing to the model. */
const TEXT = known('text', 'annotations', 'logprobs', 'parsed');
const KNOWN: Readonly<Record<ResponsesPart['type'], ReadonlySet<string>>> = {
  input_text: TEXT,
  output_text: TEXT,
  refusal: known('refusal', 'parsed'),
  input_image: known('image_url', 'file_id', 'detail'),
  input_file: known('file_data', 'file_id', 'file_url', 'filename', 'detail'),
  input_audio: known('input_audio'),
};

function kindOf(reader: DialectReader, part: ResponsesPart, path: Path): ContentKind {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'refusal', text: part.refusal };
    case 'input_image': {
      const { image_url: url, file_id: id, detail } = part;
      const source = sourceOf(reader, { id, url }, [...path, 'image_url']);
      return { type: 'image', source, ...(isPresent(detail) && { detail }) };
    }
    case 'input_file': {
      const { file_data: data, file_url: url, file_id: id, filename: title, detail } = part;
      if (detail !== 'auto') reader.carry(detail, [...path, 'detail']);
      const source = isPresent(data)
        ? fileAt(reader, data, [...path, 'file_data'])
        : sourceOf(reader, { id, url }, [...path, 'file_url']);
      return { type: 'document', source, ...(isPresent(title) && { title }) };
    }
    case 'input_audio':
      return { type: 'audio', ...pick(part.input_audio) };
  }
}

const pick = ({ data, format }: { readonly data: string; readonly format: string }) => ({ data, format });

/** Reads whichever address field is present. @param path of the address */
function sourceOf(
  reader: DialectReader,
  { id, url }: { readonly id?: string | null | undefined; readonly url?: string | null | undefined },
  path: Path,
): MediaSource {
  if (isPresent(id)) return { kind: 'file', id };
  const address = url ?? '';
  if (address.startsWith('data:')) return dataAt(reader, address, path);
  if (!/^https?:\/\//i.test(address)) reader.refuse(path, 'must begin with https://, http:// or data:', 'not_allowed');
  return { kind: 'url', url: address };
}

/** Data of a file: a data URL, or bare base64, which then is a PDF as in chat completions. */
const fileAt = (reader: DialectReader, data: string, path: Path): MediaSource =>
  /^[A-Za-z0-9+/=]+$/.test(data.slice(0, 256))
    ? { kind: 'base64', mediaType: 'application/pdf', data }
    : dataAt(reader, data, path);

/** `data:application/pdf;base64,...` */
function dataAt(reader: DialectReader, address: string, path: Path): MediaSource {
  // Split by hand: the address may be megabytes long.
  const comma = address.indexOf(',');
  const [, mediaType] = /^data:([^;,]+)(?:;[^;,]+)*;base64$/i.exec(address.slice(0, Math.min(comma, 256))) ?? [];
  if (comma > 0 && mediaType !== undefined) return { kind: 'base64', mediaType, data: address.slice(comma + 1) };
  reader.refuse(path, 'must be a data URL: data:MEDIA/TYPE;base64,DATA', 'not_allowed');
  return { kind: 'text', text: '' };
}
