import { isPresent, isRecord } from '#primitives/values.js';

/** Parts of messages in the shapes of the three APIs, of LangChain and of the AI SDK: clients send any of them to each route. */

type Fields = Readonly<Record<string, unknown>>;

/** What a part shows. An address may be a data URL. */
type Shown =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly url: string; readonly detail?: unknown }
  | { readonly type: 'file'; readonly url: string; readonly title?: string }
  | { readonly type: 'stored'; readonly id: string }
  | { readonly type: 'audio'; readonly data: string; readonly format: string };

const TEXTS: readonly unknown[] = ['text', 'input_text', 'output_text'];
const IMAGES: readonly unknown[] = ['image', 'image_url', 'input_image'];
const FILES: readonly unknown[] = ['file', 'input_file', 'document', 'document_url'];
const SOUNDS: readonly unknown[] = ['audio', 'input_audio'];

/** null: it is of another kind. Some clients have a text as it is, or without a type. */
function shownIn(part: unknown): Shown | null {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isRecord(part)) return null;
  const { type, text } = part;
  if (typeof text === 'string' && (type === undefined || TEXTS.includes(type))) return { type: 'text', text };
  const sound = SOUNDS.includes(type) && soundIn(part);
  if (sound) return sound;
  const id = FILES.includes(type) ? storedIn(part) : null;
  if (id !== null) return { type: 'stored', id };
  const url = addressIn(part);
  if (url === null) return null;
  if (IMAGES.includes(type)) return { type: 'image', url, ...detailOf(part) };
  const media = /^data:(image|audio)\/([\w.+-]+);base64,(.*)$/is.exec(url);
  if (FILES.includes(type) && media?.[1] === 'image') return { type: 'image', url };
  if (media?.[1] === 'audio') return { type: 'audio', format: formatOf(media[2]!), data: media[3]! };
  // A part of messages may have more to say than its content.
  if (!FILES.includes(type) || isPresent(part['context']) || isPresent(part['citations'])) return null;
  const file = isRecord(part['file']) ? part['file'] : part;
  const title = [file['filename'], file['title'], file['name'], file['document_name']].find(
    (name) => typeof name === 'string',
  );
  return { type: 'file', url, ...(title !== undefined && { title }) };
}

/** The id of a file that the provider holds. */
function storedIn({ file, source, file_id: id }: Fields): string | null {
  const { file_id = id } = [file, source].find(isRecord) ?? {};
  return typeof file_id === 'string' ? file_id : null;
}

/** `detail` beside the address, or beside the object that has it. */
function detailOf({ detail, image_url: image }: Fields): { detail?: unknown } {
  const said = detail ?? (isRecord(image) ? image['detail'] : undefined);
  return isPresent(said) ? { detail: said } : {};
}

function soundIn({ input_audio: sound }: Fields): Shown | null {
  if (!isRecord(sound) || typeof sound['data'] !== 'string') return null;
  return { type: 'audio', data: sound['data'], format: String(sound['format']) };
}

const formatOf = (subtype: string): string => (subtype === 'mpeg' ? 'mp3' : subtype.replace(/^(?:x-|vnd\.)/, ''));

/** Where the content of a part is, whatever field says so. */
function addressIn(part: Fields): string | null {
  const { image_url: image, document_url: document, file_url: linked = document, source } = part;
  if (typeof image === 'string' || typeof linked === 'string') return (image ?? linked) as string;
  const fields = [image, linked, source, part['file']].find(isRecord) ?? part;
  const { type, url, base64, file_data: file, image: given, data = file ?? given } = fields;
  if (typeof url === 'string') return url;
  const content = base64 ?? data;
  if (typeof content !== 'string') return null;
  if (/^(?:data|https?):/i.test(content)) return content;
  if (type === 'text' && fields === source)
    return `data:text/plain;base64,${Buffer.from(content, 'utf8').toString('base64')}`;
  const media = ['media_type', 'mime_type', 'mimeType', 'mediaType'].map((name) => fields[name]).find(isPresent);
  if (typeof media === 'string') return `data:${media};base64,${content}`;
  // Bare base64 of a file is a PDF.
  return content === file ? `data:application/pdf;base64,${content}` : null;
}

const markerOf = (part: unknown): Fields => {
  const { cache_control } = isRecord(part) ? part : {};
  return cache_control === undefined ? {} : { cache_control };
};

/** A part of another shape by what it shows; one of this route's own stays as it is, and so does any other. */
const shaped =
  (isOwn: (part: Fields) => boolean, write: (shown: Shown) => Fields | null) =>
  (part: unknown): unknown => {
    if (isRecord(part) && isOwn(part)) return part;
    const shown = shownIn(part);
    const written = shown && write(shown);
    return written ? { ...written, ...markerOf(part) } : part;
  };

/** A file that comes with its bytes must have a name there. */
function nameOf(url: string): string {
  const [, subtype = 'bin'] = /^data:[\w.-]+\/([\w.-]{1,16})[;,]/.exec(url) ?? [];
  return `document.${subtype === 'plain' ? 'txt' : subtype}`;
}

const sound = ({ data, format }: Extract<Shown, { type: 'audio' }>): Fields => ({
  ...{ type: 'input_audio', input_audio: { data, format } },
});

/** A part as chat completions have it. */
export const chatPart = shaped(
  ({ type, ...fields }) =>
    typeof type === 'string' &&
    (type === 'text' ? typeof fields['text'] === 'string' : type === 'document_url' || isRecord(fields[type])),
  (shown) => {
    switch (shown.type) {
      case 'text':
        return shown;
      case 'image': {
        const { type: _, ...image } = shown;
        return { type: 'image_url', image_url: image };
      }
      case 'file': {
        const { url, title = nameOf(url) } = shown;
        return { type: 'file', file: { filename: title, file_data: url } };
      }
      case 'stored':
        return { type: 'file', file: { file_id: shown.id } };
      case 'audio':
        return sound(shown);
    }
  },
);

const OF_RESPONSES = new Set<unknown>(['input_text', 'output_text', 'refusal', 'input_file']);

/** A part as responses have it. @param textType of texts: those of the assistant have another */
export const responsesPart = (textType: 'input_text' | 'output_text'): ((part: unknown) => unknown) =>
  shaped(
    ({ type, image_url: image, input_audio: audio }) =>
      OF_RESPONSES.has(type) ||
      (type === 'input_image' && !isRecord(image)) ||
      (type === 'input_audio' && isRecord(audio)),
    (shown) => {
      switch (shown.type) {
        case 'text':
          return { type: textType, text: shown.text };
        case 'image': {
          const { url, type: _, ...rest } = shown;
          return { type: 'input_image', image_url: url, ...rest };
        }
        case 'file': {
          const { url, title } = shown;
          const named = title === undefined ? {} : { filename: title };
          return {
            type: 'input_file',
            ...(url.startsWith('data:') ? { file_data: url } : { file_url: url }),
            ...named,
          };
        }
        case 'stored':
          return { type: 'input_file', file_id: shown.id };
        case 'audio':
          return sound(shown);
      }
    },
  );

/** A part as messages have it: their content blocks. */
export const claudePart = shaped(
  ({ type, text, source }) => (type === 'text' && typeof text === 'string') || isRecord(source),
  (shown) => {
    switch (shown.type) {
      case 'text':
        return shown;
      case 'image': {
        const { detail } = shown;
        const asked = detail === undefined || detail === 'auto' || detail === 'high' ? {} : { detail };
        return { type: 'image', source: sourceOf(shown.url), ...asked };
      }
      case 'file': {
        const { url, title } = shown;
        return { type: 'document', source: sourceOf(url), ...(title !== undefined && { title }) };
      }
      case 'stored':
        return { type: 'document', source: { type: 'file', file_id: shown.id } };
      case 'audio':
        return null;
    }
  },
);

function sourceOf(url: string): Fields {
  const comma = url.indexOf(',');
  const [, media = ''] =
    /^data:([^;,]+)(?:;[^;,]+)*;base64$/i.exec(url.slice(0, Math.max(0, Math.min(comma, 256)))) ?? [];
  if (media === '') return { type: 'url', url };
  const data = url.slice(comma + 1);
  return media === 'text/plain'
    ? { type: 'text', media_type: media, data: Buffer.from(data, 'base64').toString('utf8') }
    : { type: 'base64', media_type: media, data };
}
