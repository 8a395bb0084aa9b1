import { startTestApi, type TestApi } from '#test/support/api.js';
import { hostedSettings, type HostedSettings } from '#test/support/hosted-settings.js';
import { refuses, startScriptedProvider, streams, type ScriptedProvider } from '#test/support/scripted-provider.js';

describe('POST /v1/messages', () => {
  let provider: ScriptedProvider;
  let hosted: HostedSettings;
  let api: TestApi;
  const messages = [{ role: 'user', content: 'Say hello' }];
  const asked = { model: 'acme/chat', max_tokens: 100, messages };

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

  const post = (body: unknown, headers: Record<string, string> = {}, path = '/v1/messages') =>
    api.call('POST', path, body, { 'x-api-key': api.key, ...headers });

  test('answers with a decoder', async () => {
    provider.script(streams('Hello there'));
    const { status, headers, body } = await post(asked);
    expect(status).toBe(200);
    expect(headers.get('request-id')).toBe(headers.get('x-request-id'));
    expect(body).toEqual({
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'assistant',
      model: 'acme/chat',
      content: [{ type: 'text', text: 'Hello there', citations: null }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: {
        input_tokens: 12,
        output_tokens: 3,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: null,
        inference_geo: null,
        output_tokens_details: null,
        server_tool_use: null,
        service_tier: null,
        speed: null,
      },
      pioneer_inference_id: expect.any(String),
    });
  });

  test('streams', async () => {
    provider.script(streams('Hello there'));
    const { status, headers, body } = await post({ ...asked, stream: true }, {}, '/v1/v1/messages');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(body.endsWith('event: message_stop\ndata: {"type":"message_stop"}\n\n')).toBe(true);
  });

  test('529 where the provider is saturated', async () => {
    provider.script(refuses(429, {}, { 'retry-after': '7' }));
    const { status, headers, body } = await post(asked);
    expect([status, headers.get('x-should-retry'), body.error.type]).toEqual([529, 'true', 'overloaded_error']);
  });
});
