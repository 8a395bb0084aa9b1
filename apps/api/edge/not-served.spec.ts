import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

describe('parts of other APIs that are not served', () => {
  let api: TestApi;
  let openai: OpenAI;
  let anthropic: Anthropic;
  beforeAll(async () => {
    api = await sharedTestApi();
    openai = new OpenAI({ apiKey: api.key, baseURL: `${api.url}/v1`, maxRetries: 0 });
    anthropic = new Anthropic({ apiKey: api.key, baseURL: api.url, maxRetries: 0 });
  });
  afterAll(() => api.close());

  it.each<[string, () => PromiseLike<unknown>, RegExp]>([
    ['a conversation', () => openai.conversations.create({}), /previous_response_id/],
    ['the list of chats', () => openai.chat.completions.list(), /GET \/inferences/],
    ['a stored chat', () => openai.chat.completions.retrieve('chatcmpl-1'), /GET \/inferences/],
    [
      'an upload',
      () => openai.uploads.create({ bytes: 1, filename: 'a', mime_type: 'b', purpose: 'batch' }),
      /\/v1\/files/,
    ],
    ['an image', () => openai.images.generate({ prompt: 'a' }), /images/],
    ['a vector store', () => openai.vectorStores.create({}), /not served/],
  ])("are 404 in OpenAI's shape, with what there is instead: %s", async (_, ask, instead) => {
    const error = await Promise.resolve(ask()).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({ code: 'not_served', message: expect.stringMatching(instead) });
  });

  it.each<[string, () => PromiseLike<unknown>, RegExp]>([
    ['a batch', () => anthropic.messages.batches.create({ requests: [] }), /POST \/v1\/batches/],
    ['a file', async () => anthropic.beta.files.upload({ file: await toFile(Buffer.from('a'), 'a.txt') }), /base64/],
    ['the list of files', async () => anthropic.beta.files.list(), /base64/],
  ])("are 404 in Anthropic's shape, with what there is instead: %s", async (_, ask, instead) => {
    const error = await Promise.resolve(ask()).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Anthropic.NotFoundError);
    expect((error as InstanceType<typeof Anthropic.NotFoundError>).error).toMatchObject({
      error: { type: 'not_found_error', message: expect.stringMatching(instead) },
    });
  });

  it('are 401 without a key, as every path', async () => {
    expect((await api.call('POST', '/v1/conversations', {}, {})).status).toBe(401);
  });

  it.each([
    ['background', true],
    ['conversation', 'conv_1'],
    ['prompt', { id: 'pmpt_1' }],
  ])('are 422 as a field of a response: %s', async (name, value) => {
    const { status, body } = await api.call('POST', '/v1/responses', {
      ...{ model: 'anneal/encoder-base-v1', schema: ['city'], input: 'Hi', [name]: value },
    });
    expect([status, body.error.param]).toEqual([422, name]);
  });
});
