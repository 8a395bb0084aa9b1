import { startTestApi, type TestApi } from '#test/support/api.js';
import { hostedSettings, type HostedSettings } from '#test/support/hosted-settings.js';
import { startScriptedProvider, streams, type ScriptedProvider } from '#test/support/scripted-provider.js';

describe('POST /v1/chat/completions', () => {
  let provider: ScriptedProvider;
  let hosted: HostedSettings;
  let api: TestApi;
  const messages = [{ role: 'user', content: 'Say hello' }];

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

  test('answers with a decoder', async () => {
    provider.script(streams('Hello there'));
    const { status, body } = await api.call('POST', '/v1/chat/completions', { model: 'acme/chat', messages });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'chat.completion',
      model: 'acme/chat',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
      x_pioneer: { inference_id: expect.any(String) },
    });
  });

  test('streams, word by word', async () => {
    provider.script(streams('Hello there'));
    const asked = { model: 'acme/chat', messages, stream: true, stream_options: { include_usage: true } };
    const { status, headers, body } = await api.call('POST', '/v1/v1/chat/completions', asked);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const said = (body as string).split('\n\n').filter((each) => each.startsWith('data: {'));
    const chunks = said.map((each) => JSON.parse(each.slice(6)));
    const text = chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('');
    expect(text).toBe('Hello there');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } });
    expect(body.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('asks an encoder', async () => {
    const asked = {
      model: 'anneal/encoder-base-v1',
      messages: [{ role: 'user', content: 'Anna Smith flies to Paris' }],
      schema: ['person'],
    };
    const { status, body } = await api.call('POST', '/v1/chat/completions', asked);
    expect(status).toBe(200);
    expect(JSON.parse(body.choices[0].message.content).entities.person[0].text).toBe('Anna Smith');
  });

  test('a base decoder is 400', async () => {
    const { status, body } = await api.call('POST', '/v1/chat/completions', { model: 'acme/base', messages });
    expect([status, body.error.param]).toEqual([400, 'model']);
  });
});
