import type { HostedApi } from '#test/support/hosted-api.js';
import type { TestApi } from '#test/support/api.js';
import { answers, byPath, completes } from '#test/support/scripted-answers.js';
import type { ScriptedProvider } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

describe('decoders by name', () => {
  let provider: ScriptedProvider;
  let system: HostedApi;
  let api: TestApi;
  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api, openai: provider } = system);
    provider.script(byPath({ 'chat/completions': answers('Hello.'), completions: completes('Hello.') }));
  });
  afterAll(() => system.close());

  const post = (path: string, body: object) => api.call('POST', path, body);
  const put = (path: string, body: object) => api.call('PUT', path, body);
  const recorded = async (query: string) => (await api.call('GET', `/inferences?${query}`)).body.inferences;
  const named = async (name: string, ...models: string[]) => {
    await post('/models', { name });
    for (const model_id of models) await post(`/models/${name}/versions`, { model_id });
    expect((await put(`/models/${name}/versions/1/promote`, { reason: 'first' })).status).toBe(200);
  };

  it('are called by every route for decoders', async () => {
    await named('completer', 'acme/base');
    expect((await post('/v1/completions', { model: 'completer', prompt: 'Say hello' })).status).toBe(200);
    await named('writer', 'acme/chat');
    const messages = [{ role: 'user', content: 'Say hello' }];
    for (const [path, body] of [
      ['/inference', { model_id: 'writer', messages }],
      ['/v1/chat/completions', { model: 'writer', messages }],
      ['/v1/responses', { model: 'writer', input: 'Say hello' }],
      ['/v1/messages', { model: 'writer', messages, max_tokens: 20 }],
    ] as const)
      expect([path, (await post(path, body)).status]).toEqual([path, 200]);
    for (const [id, base_model] of [
      ['writer', 'acme/chat'],
      ['completer', 'acme/base'],
    ] as const)
      expect((await recorded(`model_id=${id}`))[0]).toMatchObject({ base_model, model_name: id, model_version: 1 });
  });

  it.each([false, true])('are shadowed after they answered, streamed %s', async (stream) => {
    const name = `shadowed-${stream}`;
    await named(name, 'acme/chat', 'acme/paced');
    await put(`/models/${name}/shadow`, { version: 2 });
    const messages = [{ role: 'user', content: 'Say hello' }];
    expect((await post('/v1/chat/completions', { model: name, messages, stream })).status).toBe(200);
    const [shadow] = await api.until(
      () => recorded(`model_id=${name}@2`),
      (list) => list.length > 0,
    );
    const [call] = await recorded(`model_id=${name}`);
    expect(shadow).toMatchObject({ shadow_of: call.id, base_model: 'acme/paced', model_version: 2, status: 'success' });
    expect(shadow.cost).toBe(call.cost);
  });
});
