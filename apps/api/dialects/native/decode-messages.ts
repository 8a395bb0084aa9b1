import type { ContentPart, GenerationRequest } from '#calls/hosted/port.js';
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

const partsOf = (content: ChatMessage['content']): readonly ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(({ text }) => ({ type: 'text', text }));

/** Undefined if there are none. */
export function stopsOf(stop: string | readonly string[] | null | undefined): readonly string[] | undefined {
  if (typeof stop === 'string') return [stop];
  return stop && stop.length > 0 ? stop : undefined;
}
