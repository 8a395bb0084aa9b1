import type { JsonObject } from '#domain/json.js';
import type { ContentKind, ContentPart, MediaSource } from '#calls/hosted/port.js';
import { isPresent, isRecord } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import type { ChatPart } from './message-schemas.js';

type Path = readonly (string | number)[];

/** Decodes a text or a list of parts. @param path of the object that has it as `content` */
export function contentOf(
  reader: DialectReader,
  content: string | readonly ChatPart[],
  path: Path,
): readonly ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part, index) => partOf(reader, part, [...path, 'content', index]));
}

function partOf(reader: DialectReader, part: ChatPart, path: Path): ContentPart {
  const kind = kindOf(reader, part, path);
  if (kind.type === 'foreign') return kind;
  for (const name of Object.keys(part))
    if (name !== part.type && !COMMON.has(name)) reader.carry(part[name], [...path, name]);
  return { ...kind, ...markerOf(part) };
}

/** `role` repeats the message's: `@openai/agents` puts it in the parts of earlier answers. */
const COMMON: ReadonlySet<string> = new Set(['type', 'cache_control', 'role', 'document_name']);

/** A part's content is in the field named after its type. */
function kindOf(reader: DialectReader, part: ChatPart, path: Path): ContentKind {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: part.type, text: part[part.type]! };
    case 'image_url': {
      const { url, detail, ...others } = part.image_url!;
      const at = [...path, part.type];
      reader.carryOthers(others, NONE, at);
      return { type: 'image', source: mediaAt(reader, url, [...at, 'url']), ...(isPresent(detail) && { detail }) };
    }
    case 'input_audio': {
      const { data, format, ...others } = part.input_audio!;
      reader.carryOthers(others, NONE, [...path, part.type]);
      return { type: 'audio', format, data };
    }
    case 'file': {
      const { file_data: data, file_id: id, filename: title, ...others } = part.file!;
      const at = [...path, part.type];
      reader.carryOthers(others, NONE, at);
      const source: MediaSource = isPresent(id) ? { kind: 'file', id } : fileIn(reader, data!, [...at, 'file_data']);
      return { type: 'document', source, ...(isPresent(title) && { title }) };
    }
    case 'document_url': {
      // Mistral's, whose own models get it unchanged.
      const { document_url: given, document_name: title } = part;
      const url = isRecord(given) ? given['url'] : given;
      if (typeof url !== 'string') return { type: 'foreign', style: 'openai', name: part.type };
      const source = mediaAt(reader, url, [...path, part.type]);
      return { type: 'document', source, ...(typeof title === 'string' && { title }) };
    }
    default:
      return { type: 'foreign', style: 'openai', name: part.type };
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Data of a file: a data URL, an address, or bare base64, which must be a PDF. */
function fileIn(reader: DialectReader, data: string, path: Path): MediaSource {
  if (/^(?:data|https?):/i.test(data)) return mediaAt(reader, data, path);
  return { kind: 'base64', mediaType: 'application/pdf', data };
}

/** Reads a URL, or a data URL (RFC 2397), which must be base64. */
function mediaAt(reader: DialectReader, url: string, path: Path): MediaSource {
  if (!/^data:/i.test(url)) return { kind: 'url', url };
  const comma = url.indexOf(',');
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma < 0 ? undefined : comma).split(';');
  if (comma < 0 || mediaType === '' || parameters.at(-1)?.trim().toLowerCase() !== 'base64')
    reader.refuse(path, 'must be an address, or data:<media type>;base64,<data>', 'not_allowed');
  return { kind: 'base64', mediaType: mediaType.toLowerCase(), data: url.slice(comma + 1) };
}

/** The caller's own cache marker on a part, a message or a tool. */
export const markerOf = ({
  cache_control: cacheControl,
}: {
  readonly cache_control?: JsonObject | null;
}): Pick<ContentPart, 'cacheControl'> => (cacheControl ? { cacheControl } : {});
