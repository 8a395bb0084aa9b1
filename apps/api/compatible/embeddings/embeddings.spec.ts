import { startTestApi, type TestApi } from '#test/support/api.js';
import { hostedSettings, type HostedSettings } from '#test/support/hosted-settings.js';
import { startScriptedProvider, type ScriptedProvider } from '#test/support/scripted-provider.js';

const BUILT_IN = 'anneal/embedder-base-v1';

describe('POST /v1/embeddings', () => {
  let provider: ScriptedProvider;
  let hosted: HostedSettings;
  let api: TestApi;

  beforeAll(async () => {
    provider = await startScriptedProvider();
    hosted = await hostedSettings(provider.url);
    api = await startTestApi(hosted.values);
  });
  afterAll(async () => {
    await api.close();
    await hosted.remove();
    await provider.close();
  });

  const embed = (body: object) => api.call('POST', '/v1/embeddings', { model: BUILT_IN, ...body });

  test('the built-in embedder answers with a vector of length 1 for each text', async () => {
    const { status, body } = await embed({ input: ['A cat', 'A dog'] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'list', model: BUILT_IN, usage: { prompt_tokens: 4, total_tokens: 4 } });
    expect(body.data).toHaveLength(2);
  });
});
