import { isPresent, isRecord } from '#primitives/values.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The body with parts of messages as this route has them. Clients write pictures as a bare address, or as the Responses and Messages
 * APIs have them, and calls and results of tools as content.
 */
export function withOwnParts(body: Fields): Fields {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  return { ...body, messages: (messages as readonly unknown[]).flatMap(messagesOf) };
}

function messagesOf(sent: unknown): unknown[] {
  if (!isRecord(sent)) return [sent];
  const { name, ...unnamed } = sent;
  const message: Fields = name === '' ? unnamed : sent;
  const { content } = message;
  const isPart = isRecord(content) && typeof content['text'] === 'string';
  if (!isPart && !Array.isArray(content)) return [message];
  const { role, tool_calls: calls } = message;
  const parts = [content].flat().map(partOf);
  if (role === 'assistant') {
    const made = parts.filter(isCall);
    if (made.length === 0) return [{ ...message, content: parts }];
    const known = Array.isArray(calls) ? (calls as readonly unknown[]) : [];
    const ids = new Set(known.map((call) => (isRecord(call) ? call['id'] : null)));
    const others = made.filter(({ id }) => !ids.has(id)).map(callOf);
    return [{ ...message, content: parts.filter((part) => !isCall(part)), tool_calls: [...known, ...others] }];
  }
  const results = role === 'user' ? parts.filter(isResult) : [];
  if (results.length === 0) return [{ ...message, content: parts }];
  const rest = parts.filter((part) => !isResult(part));
  return [...results.map(resultOf), ...(rest.length > 0 ? [{ ...message, content: rest }] : [])];
}

const isCall = (part: unknown): part is Fields => isRecord(part) && part['type'] === 'tool_use';
const isResult = (part: unknown): part is Fields => isRecord(part) && part['type'] === 'tool_result';

const callOf = ({ id, name, input, cache_control }: Fields): Fields => ({
  ...{ id, type: 'function', function: { name, arguments: input } },
  ...(cache_control !== undefined && { cache_control }),
});

function resultOf({ tool_use_id: id, content, is_error: isError, cache_control }: Fields): Fields {
  const parts = Array.isArray(content)
    ? content.map((part: unknown) => (isRecord(part) ? ownPart(part) : part))
    : content;
  const told = isError === true ? [{ type: 'text', text: 'Error:' }, ...listOf(parts)] : parts;
  return { role: 'tool', tool_call_id: id, content: told, ...(cache_control !== undefined && { cache_control }) };
}

const listOf = (content: unknown): readonly unknown[] => {
  if (Array.isArray(content)) return content;
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
};

/** Some clients have a text in a list as it is, or without a type. */
function partOf(part: unknown): unknown {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isRecord(part)) return part;
  return ownPart(part['type'] === undefined && typeof part['text'] === 'string' ? { type: 'text', ...part } : part);
}

/** A picture or a text as a part of this route; any other part is returned as it is. */
export function ownPart(part: Fields): Fields {
  const { type, text, image_url: address, detail, cache_control } = part;
  const marker = cache_control !== undefined && { cache_control };
  if ((type === 'input_text' || type === 'output_text') && typeof text === 'string')
    return { type: 'text', text, ...marker };
  const url = type === 'image' ? imageIn(part) : type === 'image_url' || type === 'input_image' ? address : null;
  if (typeof url !== 'string') return part;
  return { type: 'image_url', image_url: { url, ...(isPresent(detail) && { detail }) }, ...marker };
}

/** The address of a picture by Anthropic's API, LangChain or the AI SDK. null: it is none of them. */
function imageIn(part: Fields): string | null {
  const { source, image } = part;
  const fields = isRecord(source) ? source : part;
  const { url, data, base64 = data } = fields;
  const media = ['media_type', 'mime_type', 'mimeType', 'mediaType'].map((name) => fields[name]).find(isPresent);
  if (typeof url === 'string') return url;
  if (typeof base64 === 'string' && typeof media === 'string') return `data:${media};base64,${base64}`;
  return typeof image === 'string' && /^(?:data|https?):/.test(image) ? image : null;
}
