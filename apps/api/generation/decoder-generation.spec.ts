import { startHostedApi, type HostedApi } from '#test/support/hosted-api.js';
import type { TestApi } from '#test/support/api.js';
import { generate } from '#test/support/generation.js';
import { refuses, streams, type ScriptedProvider } from '#test/support/scripted-provider.js';

const rows = [
  { text: 'My cat sleeps.', label: 'cats' },
  { text: 'The dog barks.', label: 'dogs' },
  { text: 'A puppy ran off.', label: 'dogs' },
];

describe('rows made by a decoder of the catalog', () => {
  let provider: ScriptedProvider;
  let system: HostedApi;
  let api: TestApi;
  beforeAll(async () => {
    system = await startHostedApi();
    ({ api, openai: provider } = system);
  });
  afterAll(() => system.close());

  const body = { task_type: 'classification', labels: ['cats', 'dogs'], num_examples: 3, model_id: 'acme/chat' };

  it('are stored like any others, and every call is recorded and costs what it costs', async () => {
    provider.script(streams(JSON.stringify({ rows })));
    const job = await generate(api, { ...body, dataset_name: 'pets' });
    expect(job).toMatchObject({
      status: 'ready',
      model_id: 'acme/chat',
      count: 3,
      version_number: '1',
      distinct_share: 1,
    });
    const preview = await api.call('GET', '/felix/datasets/pets/1/preview');
    expect(preview.body.rows).toEqual(rows);
    const { inferences } = (await api.call('GET', '/inferences?task=generate')).body;
    expect(inferences[0]).toMatchObject({ model_id: 'acme/chat', status: 'success', input_tokens: 12 });
    expect(inferences[0].cost).toBeGreaterThan(0);
  });

  it('fail with the reason where the provider refuses', async () => {
    provider.script(refuses(400, { error: { message: 'no such thing' } }));
    const job = await generate(api, body);
    expect(job).toMatchObject({ status: 'failed', version_number: null, count: 0 });
    expect(job.error).toContain('no such thing');
  });
});
