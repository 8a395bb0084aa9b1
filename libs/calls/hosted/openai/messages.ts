import type { JsonObject } from '#domain/json.js';
import { callIdFor } from '../call-ids.js';
import type { Dropped } from '../dropped.js';
import { notCarried, type ContentPart, type MediaSource, type Message } from '../port.js';
import type { Provider } from '../providers.js';
import { withMediaAfterResults } from './result-media.js';
import { speakerName } from './verbatim.js';

type Part<Type extends ContentPart['type']> = Extract<ContentPart, { type: Type }>;

/**
 * Messages in the shape of chat completions. Tool results are separate messages there, before the rest of the message.
 * @throws HostedModelError of kind `rejected`, naming a part that this style cannot carry
 */
export function chatMessages(
  messages: readonly Message[],
  cacheControl: Provider['cacheControl'],
  dropped: Dropped,
): JsonObject[] {
  const chatMessage = (message: Message) => chatMessageOf(message, cacheControl, dropped);
  return withMediaAfterResults(messages).flatMap((message) => {
    const results = message.content.filter((part) => part.type === 'tool-result');
    if (results.length === 0) return [chatMessage(message)];
    const others = message.content.filter((part) => part.type !== 'tool-result');
    const rest = { ...message, role: message.role === 'tool' ? ('user' as const) : message.role, content: others };
    return [...results.map(toolMessage), ...(others.length > 0 ? [chatMessage(rest)] : [])];
  });
}

function chatMessageOf(
  { role, content, name }: Message,
  cacheControl: Provider['cacheControl'],
  dropped: Dropped,
): JsonObject {
  const named = name !== undefined && { name: speakerName(name) };
  if (role === 'assistant') return { role, ...named, ...assistantFields(content, cacheControl, dropped) };
  const part = role === 'user' ? userPart : (each: ContentPart) => textPart(each, `${role} messages`);
  return { role, ...named, content: contentOf(content.map(part)) };
}

/** A lone text is sent as a string, which every server of this style accepts. */
function contentOf(parts: readonly JsonObject[]): string | readonly JsonObject[] {
  const [first] = parts;
  if (first === undefined) return '';
  const isText = parts.length === 1 && first['type'] === 'text' && first['cache_control'] === undefined;
  return isText ? (first['text'] as string) : parts;
}

function assistantFields(
  content: readonly ContentPart[],
  cacheControl: Provider['cacheControl'],
  dropped: Dropped,
): JsonObject {
  const said: JsonObject[] = [];
  const calls: JsonObject[] = [];
  const thoughts: Part<'thinking'>[] = [];
  for (const part of content) {
    if (part.type === 'thinking') thoughts.push(part);
    else if (part.type === 'tool-call') calls.push(toolCall(part));
    else if (part.type === 'refusal') said.push({ type: 'refusal', refusal: part.text, ...marker(part) });
    else said.push(textPart(part, 'assistant messages'));
  }
  return {
    content: said.length === 0 && calls.length > 0 ? null : contentOf(said),
    ...thoughtFields(thoughts, cacheControl, dropped),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** A model that gave no arguments meant an empty object, which servers parse. */
const toolCall = (part: Part<'tool-call'>): JsonObject => ({
  ...{
    id: callIdFor('openai', part.id),
    type: 'function',
    function: { name: part.name, arguments: part.input || '{}' },
  },
  ...marker(part),
});

/**
 * OpenAI has no field for earlier thoughts, and refuses these by name. Those who serve open models take their text as
 * `reasoning_content`, and some need it; gateways to Claude-style models take `thinking_blocks`, with the signatures that prove
 * them (https://docs.litellm.ai/docs/reasoning_content).
 */
function thoughtFields(
  thoughts: readonly Part<'thinking'>[],
  cacheControl: Provider['cacheControl'],
  dropped: Dropped,
): JsonObject {
  const texts = thoughts.map(({ text }) => text).filter((text) => text !== '');
  const signed = cacheControl === 'forward' ? thoughts.filter(({ signature = '' }) => signature !== '') : [];
  if (cacheControl === 'drop' && thoughts.some(({ redacted }) => redacted)) dropped.drop('redacted_thinking');
  return {
    ...(texts.length > 0 && { reasoning_content: texts.join('\n') }),
    ...(signed.length > 0 && { thinking_blocks: signed.map(thinkingBlock) }),
  };
}

const thinkingBlock = ({ text, signature, redacted }: Part<'thinking'>): JsonObject =>
  redacted ? { type: 'redacted_thinking', data: signature } : { type: 'thinking', thinking: text, signature };

function toolMessage(result: Part<'tool-result'>): JsonObject {
  const parts = result.content.map((part) => textPart(part, 'results of tools'));
  // Chat completions have no field for a tool's error, and the model must know of it.
  if (result.isError) parts.unshift({ type: 'text', text: 'Error:' });
  const last = parts.at(-1);
  if (result.cacheControl !== undefined) {
    if (last) Object.assign(last, marker(result));
    else parts.push({ type: 'text', text: '', ...marker(result) });
  }
  return { role: 'tool', tool_call_id: callIdFor('openai', result.id), content: contentOf(parts) };
}

function textPart(part: ContentPart, where: string): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text, ...marker(part) };
  throw part.type === 'foreign' ? notCarried(part.name) : notCarried(`${part.type} parts in ${where}`);
}

function userPart(part: ContentPart): JsonObject {
  switch (part.type) {
    case 'image': {
      const { source, detail } = part;
      const image_url = { url: imageUrl(source), ...(detail !== undefined && { detail }) };
      return { type: 'image_url', image_url, ...marker(part) };
    }
    case 'document':
      return { ...documentPart(part), ...marker(part) };
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format }, ...marker(part) };
    default:
      return textPart(part, 'user messages');
  }
}

function imageUrl(source: MediaSource): string {
  if (source.kind === 'url') return source.url;
  if (source.kind === 'base64') return dataUrl(source);
  throw notCarried(source.kind === 'file' ? 'images by the id of a file' : 'images given as text');
}

function documentPart({ source, title }: Part<'document'>): JsonObject {
  switch (source.kind) {
    case 'base64':
      return { type: 'file', file: { filename: title ?? nameFor(source.mediaType), file_data: dataUrl(source) } };
    case 'file':
      return { type: 'file', file: { file_id: source.id, ...(title !== undefined && { filename: title }) } };
    case 'text':
      // Few servers of this style accept files, and those would read these as text.
      return { type: 'text', text: title === undefined ? source.text : `${title}\n\n${source.text}` };
    case 'url':
      throw notCarried('documents by address', 'send the content as base64');
  }
}

const dataUrl = ({ mediaType, data }: Extract<MediaSource, { kind: 'base64' }>) => `data:${mediaType};base64,${data}`;

/** A file that comes with its bytes must have a name there. */
const nameFor = (mediaType: string) => `document.${/^[\w.-]+\/([\w.-]{1,16})$/.exec(mediaType)?.[1] ?? 'bin'}`;

const marker = ({ cacheControl }: ContentPart): JsonObject =>
  cacheControl === undefined ? {} : { cache_control: cacheControl };
