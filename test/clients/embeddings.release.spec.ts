import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { OpenAIEmbeddings } from '@langchain/openai';
import { embedMany } from 'ai';
import { MODELS, startWorld, type Connection, type World } from './support/world.js';

const TEXTS = ['one text', 'another text'];

/** The embedding call of each client. */
const CLIENTS: Readonly<Record<string, (to: Connection, model: string) => Promise<readonly (readonly number[])[]>>> = {
  'ai with @ai-sdk/openai': async ({ baseUrl: baseURL, key: apiKey, fetch }, model) => {
    const provider = createOpenAI({ baseURL, apiKey, fetch });
    return (await embedMany({ model: provider.embeddingModel(model), values: TEXTS, maxRetries: 0 })).embeddings;
  },
  'ai with @ai-sdk/openai-compatible': async ({ baseUrl: baseURL, key: apiKey, fetch }, model) => {
    const provider = createOpenAICompatible({ baseURL, apiKey, fetch, name: 'ours' });
    return (await embedMany({ model: provider.embeddingModel(model), values: TEXTS, maxRetries: 0 })).embeddings;
  },
  '@langchain/openai': ({ baseUrl: baseURL, key: apiKey, fetch }, model) =>
    new OpenAIEmbeddings({ apiKey, model, maxRetries: 0, configuration: { baseURL, fetch } }).embedDocuments(TEXTS),
};

describe('embeddings', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());
  afterEach(() => expect(world.problemsOf(world.exchanges())).toEqual([]));

  describe.each(Object.keys(CLIENTS))('%s', (name) => {
    it.each([MODELS.embedding, MODELS.ownEmbedding])('have the vectors of %s', async (model) => {
      const vectors = await CLIENTS[name]!(world.connection(), model);
      const { body } = await world.api.call('POST', '/v1/embeddings', { model, input: TEXTS });
      const expected = (body.data as readonly { embedding: number[] }[]).map(({ embedding }) => embedding);
      expect(vectors.map((vector) => vector.map(Math.fround))).toEqual(
        expected.map((vector) => vector.map(Math.fround)),
      );
    });
  });
});
