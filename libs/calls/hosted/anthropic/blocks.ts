import type { JsonObject } from '#domain/json.js';
import { callIdFor } from '../call-ids.js';
import type { Dropped } from '../dropped.js';
import { notCarried, type ContentPart, type MediaSource } from '../port.js';
import { toolInput } from './tool-input.js';

/**
 * A part as a content block, with the caller's own cache marker; none is ever added.
 * @throws HostedModelError of kind `rejected`, naming what a block cannot hold
 */
export function blockOf(part: ContentPart, dropped: Dropped): JsonObject {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return textBlock(part);
    case 'image':
      return marked(part, { type: 'image', source: imageSource(part, dropped) });
    case 'document': {
      const title = part.title === undefined ? {} : { title: part.title };
      return marked(part, { type: 'document', source: documentSource(part.source), ...title });
    }
    case 'thinking':
      return marked(part, thinkingBlock(part));
    case 'tool-call':
      return marked(part, toolUse(part));
    case 'tool-result':
      return marked(part, resultBlock(part, dropped));
    case 'audio':
      throw notCarried('audio');
    case 'foreign':
      throw notCarried(`${part.name} parts`);
  }
}

/** A text that this style refuses, with or without a marker. */
export const isBlank = (part: ContentPart): boolean =>
  (part.type === 'text' || part.type === 'refusal') && part.text.trim() === '';

export const textBlock = (part: Extract<ContentPart, { type: 'text' | 'refusal' }>): JsonObject =>
  marked(part, { type: 'text', text: part.text });

const marked = ({ cacheControl }: ContentPart, block: JsonObject): JsonObject =>
  cacheControl === undefined ? block : { ...block, cache_control: cacheControl };

function imageSource({ source, detail }: Extract<ContentPart, { type: 'image' }>, dropped: Dropped): JsonObject {
  // Images are always read in all their detail.
  if (detail !== undefined && detail !== 'auto' && detail !== 'high') dropped.drop('image_url.detail');
  if (source.kind === 'text') throw notCarried('an image as text');
  return source.kind === 'base64' ? base64Source(source) : linkedSource(source);
}

function documentSource(source: MediaSource): JsonObject {
  if (source.kind === 'text') return plainText(source.text);
  if (source.kind !== 'base64') return linkedSource(source);
  if (source.mediaType === 'application/pdf') return base64Source(source);
  if (source.mediaType === 'text/plain') return plainText(Buffer.from(source.data, 'base64').toString('utf8'));
  throw notCarried(`a document of type ${source.mediaType}`);
}

const plainText = (data: string): JsonObject => ({ type: 'text', media_type: 'text/plain', data });
const base64Source = ({ mediaType, data }: Extract<MediaSource, { kind: 'base64' }>): JsonObject => ({
  ...{ type: 'base64', media_type: mediaType, data },
});
const linkedSource = (source: Extract<MediaSource, { kind: 'url' | 'file' }>): JsonObject =>
  source.kind === 'url' ? { type: 'url', url: source.url } : { type: 'file', file_id: source.id };

/** The signature proves that the thoughts are the model's own; without it the provider refuses them. */
function thinkingBlock({ text, signature, redacted }: Extract<ContentPart, { type: 'thinking' }>): JsonObject {
  return redacted
    ? { type: 'redacted_thinking', data: signature! }
    : { type: 'thinking', thinking: text, signature: signature! };
}

const toolUse = ({ id, name, input }: Extract<ContentPart, { type: 'tool-call' }>): JsonObject => ({
  ...{ type: 'tool_use', id: callIdFor('anthropic', id), name, input: toolInput(input) },
});

function resultBlock(
  { id, content, isError }: Extract<ContentPart, { type: 'tool-result' }>,
  dropped: Dropped,
): JsonObject {
  const shown = content.filter((part) => !isBlank(part));
  const [first] = shown;
  const isPlain = shown.length === 1 && first!.type === 'text' && first!.cacheControl === undefined;
  return {
    ...{ type: 'tool_result', tool_use_id: callIdFor('anthropic', id) },
    ...(shown.length > 0 && { content: isPlain ? first!.text : shown.map((part) => blockOf(part, dropped)) }),
    ...(isError && { is_error: true }),
  };
}
