import { notCarried, type ContentPart, type GenerationRequest, type Message } from '../port.js';
import type { Provider } from '../providers.js';

/**
 * A request as the body of `POST /chat/completions` (https://platform.openai.com/docs/api-reference/chat/create), streamed.
 * @throws HostedModelError of kind `rejected`, naming a part that this style does not carry
 */
export function chatCompletionBody(model: string, request: GenerationRequest, provider: Provider): string {
  const { maxTokens, temperature, topP, stop, seed, responseFormat } = request;
  if (request.tools !== undefined || request.toolChoice !== undefined) throw notCarried('tools');
  if (request.thinking !== undefined) throw notCarried('thinking');
  return JSON.stringify({
    model,
    messages: request.messages.map(chatMessage),
    ...(maxTokens !== undefined && { [provider.maxTokensField]: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop !== undefined && { stop }),
    ...(seed !== undefined && { seed }),
    ...(responseFormat !== undefined && { response_format: formatOf(responseFormat) }),
    stream: true,
    stream_options: { include_usage: true },
  });
}

function chatMessage({ role, content }: Message) {
  const texts = content.map(textOf);
  return { role, content: texts.length === 1 ? texts[0]! : texts.map((text) => ({ type: 'text', text })) };
}

function textOf(part: ContentPart): string {
  if (part.type !== 'text') throw notCarried(`${part.type} parts`);
  return part.text;
}

function formatOf(format: NonNullable<GenerationRequest['responseFormat']>) {
  if (format.type === 'json_object') return format;
  const { name, schema, strict } = format;
  return { type: 'json_schema', json_schema: { name, schema, ...(strict !== undefined && { strict }) } };
}
