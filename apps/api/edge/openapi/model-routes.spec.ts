import { generateSchema } from '@nestjs/swagger';
import fc from 'fast-check';
import type { InvalidError } from '#domain/errors.js';
import { Schemas } from '#test/fuzz/schemas.js';
import { almostValid } from '#test/fuzz/values.js';
import type { ApiDocument, Schema } from '#test/fuzz/document.js';
import { forGenerators } from './for-generators.js';
import { decodeMessages } from '../../dialects/anthropic-messages/decode.js';
import { AnthropicCountTokensBody, AnthropicMessagesBody } from '../../dialects/anthropic-messages/dto.js';
import { decodeGliner2Request } from '../../dialects/gliner2/decode.js';
import { Gliner2Body } from '../../dialects/gliner2/dto.js';
import { decodeNativeRequest } from '../../dialects/native/decode.js';
import { DecoderInferenceBody } from '../../dialects/native/decoder-dto.js';
import { EncoderInferenceBody } from '../../dialects/native/dto.js';
import { decodeChat } from '../../dialects/openai-chat/decode.js';
import { ChatCompletionBody } from '../../dialects/openai-chat/dto.js';
import { decodeCompletion } from '../../dialects/openai-completions/decode.js';
import { TextCompletionBody } from '../../dialects/openai-completions/dto.js';
import { decodeEmbeddings } from '../../dialects/openai-embeddings/decode.js';
import { EmbeddingsBody } from '../../dialects/openai-embeddings/dto.js';
import { decodeResponses } from '../../dialects/openai-responses/decode.js';
import { ResponsesBody } from '../../dialects/openai-responses/dto.js';
import { schema31 } from '../validation/schema-31.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const ANTHROPIC = { version: '2023-06-01', headers: {} } as const;

/** Routes whose check is compiled from a class. */
const ROUTES = [
  [EncoderInferenceBody, decodeNativeRequest],
  [DecoderInferenceBody, decodeNativeRequest],
  [Gliner2Body, decodeGliner2Request],
  [ChatCompletionBody, decodeChat],
  [TextCompletionBody, decodeCompletion],
  [EmbeddingsBody, decodeEmbeddings],
  [ResponsesBody, decodeResponses],
  [AnthropicMessagesBody, (body: unknown) => decodeMessages(body, { ...ANTHROPIC, generates: true })],
  [AnthropicCountTokensBody, (body: unknown) => decodeMessages(body, { ...ANTHROPIC, generates: false })],
] as const;
const CASES = ROUTES.map(([dto, decode]) => [dto.name, dto, decode] as const);

describe('the body of a model route', () => {
  let document: ApiDocument;
  beforeAll(async () => {
    const api = await sharedTestApi();
    document = (await api.call('GET', '/openapi.json')).body as ApiDocument;
    await api.close();
  });
  const documented = (name: string) => document.components.schemas[name] as Schema;

  it.each(CASES)('is validated by the schema in the document: %s', (_, dto) => {
    const { schemas } = generateSchema<object>(dto);
    for (const [name, schema] of Object.entries(schemas))
      expect([name, documented(name)]).toMatchObject([
        name,
        JSON.parse(JSON.stringify(forGenerators(schema31(schema)))),
      ]);
  });

  it.each(CASES)('is refused with the names of its fields: %s', (name, _, decode) => {
    const outcomes = { taken: 0, refused: 0 };
    const bodies = almostValid(new Schemas(document), documented(name));
    fc.assert(
      fc.property(bodies, (body) => {
        try {
          decode(JSON.parse(JSON.stringify(body) ?? 'null'));
          outcomes.taken += 1;
        } catch (error) {
          outcomes.refused += 1;
          const { name: kind, fields } = error as InvalidError;
          expect([kind, fields.filter(({ type }) => type === 'invalid')]).toEqual(['InvalidError', []]);
          expect(fields.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 120 },
    );
    expect(outcomes.refused).toBeGreaterThan(30);
  });
});
