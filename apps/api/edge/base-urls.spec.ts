import { AzureOpenAI } from 'openai';
import OpenAI from 'openai';
import { sharedTestApi } from '#test/support/shared-api.js';
import type { TestApi } from '#test/support/api.js';
import { atOwnBase } from './base-urls.js';

const model = 'anneal/encoder-base-v1';
const asked = { model, messages: [{ role: 'user' as const, content: 'Ann flew to Rome' }], schema: ['person'] };

describe('the base URL of a client', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  it.each([
    '',
    '/',
    '/v1',
    '/v1/',
    '//v1',
    '/v1/v1',
    '/openai',
    '/openai/v1',
    '/api/v1',
    '/anthropic',
    '/proxy/v1beta/openai',
  ])('may be %j: calls of models are answered', async (base) => {
    const openai = new OpenAI({ apiKey: api.key, baseURL: `${api.url}${base}`, maxRetries: 0 });
    expect((await openai.chat.completions.create(asked)).choices[0]!.message.content).toMatch(/Ann/);
    expect((await openai.responses.create({ model, input: 'Ann', schema: ['person'] } as never)).output_text).toMatch(
      /Ann/,
    );
    const { status, body } = await api.call('POST', `${base}/messages?beta=true`, { ...asked, max_tokens: 9 });
    expect([status, body.type]).toEqual([200, 'message']);
  });

  it.each(['/v1/v1', '/openai/v1', '/api/v1', '/v1/'])('may be %j: models are listed', async (base) => {
    const { status, body } = await api.call('GET', `${base}/models`);
    expect([status, body.object]).toEqual([200, 'list']);
    expect((await api.call('GET', `${base}/models/${model}`)).body.id).toBe(model);
  });

  it("may be a deployment, as Azure's client has it, which sends the key as `api-key`", async () => {
    for (const deployment of [undefined, model]) {
      const options = { apiKey: api.key, endpoint: api.url, apiVersion: '2024-10-21', maxRetries: 0 };
      const azure = new AzureOpenAI({ ...options, ...(deployment !== undefined && { deployment }) });
      const body = deployment === undefined ? asked : { ...asked, model: 'another' };
      expect((await azure.chat.completions.create(body)).choices[0]!.message.content).toMatch(/Ann/);
    }
    const { model: _, ...rest } = asked;
    const path = `/openai/deployments/${encodeURIComponent(model)}/chat/completions?api-version=2024-10-21`;
    expect((await api.call('POST', path, rest)).status).toBe(200);
  });

  it('changes neither who may ask nor the shape of errors', async () => {
    const anonymous = await api.call('POST', '/openai/v1/chat/completions', asked, {});
    expect([anonymous.status, anonymous.body.error.code]).toEqual([401, 'invalid_api_key']);
    const unknown = await api.call('POST', '/anthropic//messages', { ...asked, max_tokens: 9, model: 'acme/none' });
    expect([unknown.status, unknown.body.error.type]).toEqual([404, 'not_found_error']);
    const stored = await api.call('GET', '/openai/v1/chat/completions');
    expect([stored.status, stored.body.error.code]).toEqual([404, 'not_served']);
  });

  it.each([
    ['POST', '/v1/chat/completions', '/v1/chat/completions'],
    ['POST', '/v1/threads/t/messages', '/v1/threads/t/messages'],
    ['POST', '/v1/conversations/c/responses', '/v1/conversations/c/responses'],
    ['POST', '/felix/training-jobs', '/felix/training-jobs'],
    ['GET', '/messages', '/messages'],
    ['GET', '/v1/responses/resp_1', '/v1/responses/resp_1'],
    ['DELETE', '/openai/v1/responses/resp_1', '/v1/responses/resp_1'],
    ['POST', '/v1/responses//?a=//b#c', '/v1/responses?a=//b#c'],
    ['POST', '/openai/v1/files', '/v1/files'],
  ])('%s %s is %s', (method, url, own) => {
    expect(atOwnBase(method, url)).toBe(own);
  });
});
