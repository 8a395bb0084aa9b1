import type { ContentPart, GenerationRequest } from '#calls/hosted/port.js';
import type { Reader } from '#primitives/reader.js';
import { isPresent } from '#primitives/values.js';
import type { ChatMessage, DecoderInferenceBody } from './decoder-dto.js';

/** Decodes a call of a decoder: `messages` and the generation parameters. */
export function generationOf(body: DecoderInferenceBody): GenerationRequest {
  const { max_tokens: maxTokens, temperature, top_p: topP } = body;
  const stop = stopsOf(body.stop);
  return {
    messages: body.messages.map(({ role, content }) => ({ role, content: partsOf(content) })),
    ...(isPresent(maxTokens) && { maxTokens }),
    ...(isPresent(temperature) && { temperature }),
    ...(isPresent(topP) && { topP }),
    ...(stop && { stop }),
  };
}

function partsOf(content: ChatMessage['content']): readonly ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content?.map(({ text }) => ({ type: 'text', text })) ?? [];
}

/** Refuses messages without content; an assistant may have said nothing. */
export function refuseSilent(reader: Reader, messages: readonly ChatMessage[]): void {
  for (const [index, { role, content }] of messages.entries()) {
    const path = ['messages', index, 'content'];
    if (role === 'assistant') continue;
    if (!isPresent(content)) reader.refuse(path, 'is required and must be a string or a list of parts', 'missing');
    else if (content === '') reader.refuse(path, 'must be a string, not empty', 'out_of_range');
    else if (content.length === 0) reader.refuse(path, 'must name at least one part', 'out_of_range');
  }
}

/** Undefined if there are none. */
export function stopsOf(stop: string | readonly string[] | null | undefined): readonly string[] | undefined {
  if (typeof stop === 'string') return [stop];
  return stop && stop.length > 0 ? stop : undefined;
}
