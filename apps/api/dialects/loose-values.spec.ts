import type { Type } from '@nestjs/common';
import { generateSchema } from '@nestjs/swagger';
import { decodeMessages } from './anthropic-messages/decode.js';
import { AnthropicMessagesBody } from './anthropic-messages/dto.js';
import { decodeChat } from './openai-chat/decode.js';
import { ChatCompletionBody } from './openai-chat/dto.js';
import { asChatCompletion } from './openai-chat/other-shapes.js';
import { decodeCompletion } from './openai-completions/decode.js';
import { TextCompletionBody } from './openai-completions/dto.js';
import { decodeEmbeddings } from './openai-embeddings/decode.js';
import { EmbeddingsBody } from './openai-embeddings/dto.js';
import { decodeResponses } from './openai-responses/decode.js';
import { ResponsesBody } from './openai-responses/dto.js';

interface Route {
  readonly path: string;
  readonly dto: Type<object>;
  readonly decode: (body: unknown) => unknown;
  readonly least: object;
}

const messages = [{ role: 'user', content: 'Go' }];
const ROUTES: readonly Route[] = [
  {
    ...{ path: '/v1/chat/completions', dto: ChatCompletionBody, least: { model: 'm', messages } },
    decode: (body) => decodeChat(asChatCompletion(body)),
  },
  { path: '/v1/completions', dto: TextCompletionBody, decode: decodeCompletion, least: { model: 'm', prompt: 'Go' } },
  { path: '/v1/responses', dto: ResponsesBody, decode: decodeResponses, least: { model: 'm', input: 'Go' } },
  { path: '/v1/embeddings', dto: EmbeddingsBody, decode: decodeEmbeddings, least: { model: 'm', input: 'Go' } },
  {
    ...{ path: '/v1/messages', dto: AnthropicMessagesBody, least: { model: 'm', max_tokens: 9, messages } },
    decode: (body) => decodeMessages(body, { version: '2023-06-01', headers: {}, generates: true }),
  },
];

interface Field {
  readonly type?: string;
  readonly minimum?: number;
  readonly oneOf?: readonly Field[];
  readonly not?: object;
}

const fieldsOf = (dto: Type<object>): readonly (readonly [string, Field])[] =>
  Object.entries((generateSchema(dto).schemas[dto.name] as { properties: Record<string, Field> }).properties);

/** Without what shows the body as it was sent. */
const meaning = (decoded: unknown): unknown =>
  JSON.parse(
    JSON.stringify(decoded, (name, value: unknown) => (['verbatim', 'body'].includes(name) ? undefined : value)),
  );

describe.each(ROUTES)('$path', ({ dto, decode, least }) => {
  const optional = fieldsOf(dto).filter(([name]) => !Object.hasOwn(least, name));

  it.each(optional)('takes null for %s, which then is not asked', (name) => {
    expect(meaning(decode({ ...least, [name]: null }))).toEqual(meaning(decode(least)));
  });

  const scalars = fieldsOf(dto).filter(([, { type }]) => ['number', 'integer', 'boolean'].includes(type ?? ''));

  it.each(scalars)('takes %s as a text', (name, { type, minimum = 0, not }) => {
    const value = type === 'boolean' ? not === undefined : Math.max(1, minimum);
    const more = name === 'top_logprobs' ? { logprobs: dto === ChatCompletionBody ? true : undefined } : {};
    expect(meaning(decode({ ...least, ...more, [name]: ` ${value} ` }))).toEqual(
      meaning(decode({ ...least, ...more, [name]: value })),
    );
  });
});
