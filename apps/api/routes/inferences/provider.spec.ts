import type { HostedApi } from '#test/support/hosted-api.js';
import { says } from '#test/support/scripted-anthropic.js';
import { answers } from '#test/support/scripted-answers.js';
import { refuses, sends, type Act } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

const messages = [{ role: 'user', content: 'Say hello' }];
const DATED = { id: 'chatcmpl-Bx7', model: 'chat-2026-08-01', system_fingerprint: 'fp_44' };
const NAMED = { response_id: 'chatcmpl-Bx7', response_model: 'chat-2026-08-01', system_fingerprint: 'fp_44' };

describe('the provider of a recorded call', () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
  });
  afterAll(() => hosted.close());

  const call = (model: string, more: object = {}) =>
    hosted.api.call('POST', '/v1/chat/completions', { model, messages, max_tokens: 9, ...more });
  const newest = async () => {
    await hosted.api.drained();
    const [{ id }] = (await hosted.api.call('GET', '/inferences?limit=1')).body.inferences;
    return (await hosted.api.call('GET', `/inferences/${id}`)).body;
  };
  const named = (id: unknown): Act =>
    sends(JSON.stringify({ id, model: 'chat', choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] }));

  it.each([
    ['OpenAI style', 'acme/chat', { name: 'acme', model: 'chat', ...NAMED }, {}],
    ['OpenAI style, streamed', 'acme/chat', { name: 'acme', model: 'chat', ...NAMED }, { stream: true }],
    [
      'Anthropic style',
      'acme/claude',
      { name: 'claude', model: 'claude', ...NAMED, system_fingerprint: undefined },
      {},
    ],
    [
      'Anthropic style, streamed',
      'acme/claude',
      { name: 'claude', model: 'claude', ...NAMED, system_fingerprint: undefined },
      { stream: true },
    ],
  ])('is shown with its id of the answer, and the model that answered: %s', async (_, model, provider, more) => {
    hosted.openai.script(answers('Hello there', { fields: DATED }));
    const { system_fingerprint: _fingerprint, ...fields } = DATED;
    hosted.claude.script(says({ content: 'Hello there', fields }));
    expect((await call(model, more)).status).toBe(200);
    const { id, provider: shown } = await newest();
    expect(shown).toEqual(JSON.parse(JSON.stringify(provider)));
    const lineage = (await hosted.api.call('GET', `/inferences/${id}/lineage`)).body;
    expect(lineage.model.provider).toEqual({ ...shown, event: expect.any(Object) });
  });

  it('is the fallback that answered', async () => {
    hosted.openai.script(refuses(500));
    hosted.claude.script(says('Hello'));
    await call('acme/chat-or-claude');
    expect((await newest()).provider).toEqual({ name: 'claude', model: 'claude-2', response_id: 'msg_scripted' });
  });

  it('is shown for embeddings, which have no id', async () => {
    const data = [{ index: 0, embedding: [1, 0] }];
    hosted.openai.script(sends(JSON.stringify({ data, model: 'embed-3', usage: { prompt_tokens: 2 } })));
    await hosted.api.call('POST', '/v1/embeddings', { model: 'acme/embed', input: 'A cat' });
    expect((await newest()).provider).toEqual({ name: 'acme', model: 'embed', response_model: 'embed-3' });
  });

  it.each([
    ['is no text', 7],
    ['is empty', ''],
    ['has more than 200 characters', 'x'.repeat(201)],
    ['has other characters than printable ASCII', 'an id\nof two lines'],
  ])('is shown without an id that %s', async (_, id) => {
    hosted.openai.script(named(id));
    expect((await call('acme/chat')).status).toBe(200);
    expect((await newest()).provider).toEqual({ name: 'acme', model: 'chat' });
  });

  it('is absent from a call that none answered', async () => {
    hosted.openai.script(refuses(500));
    await call('acme/chat');
    const record = await newest();
    expect([record.status, record.provider]).toEqual(['failed', undefined]);
  });

  it('is in the event of the call, without what equals the request, and in exports', async () => {
    hosted.openai.script(answers('Hello', { fields: { id: 'chatcmpl-Q', system_fingerprint: 'fp_44' } }));
    await call('acme/chat');
    const { id } = await newest();
    const { ports } = hosted.api.application;
    const filter = { types: ['call-metered.v1'] };
    for await (const { data } of ports.eventStore.readAll({ direction: 'backwards', filter }))
      if (data['inferenceId'] === id) {
        expect(data['provider']).toEqual({
          ...{ name: 'acme', model: 'chat', response: { id: 'chatcmpl-Q', systemFingerprint: 'fp_44' } },
        });
        break;
      }
    const exported = async (format: string) => {
      const headers = { 'x-api-key': hosted.api.key };
      return (await fetch(`${hosted.api.url}/inferences/export?format=${format}`, { headers })).text();
    };
    const [line] = (await exported('jsonl')).split('\n');
    const provider = { name: 'acme', model: 'chat', response_id: 'chatcmpl-Q', system_fingerprint: 'fp_44' };
    expect(JSON.parse(line!).provider).toEqual(provider);
    const [head, row] = (await exported('csv')).split('\n');
    expect(head).toMatch(/,provider,cascade,content_withheld\r?$/);
    expect(row).toContain(JSON.stringify(provider).replaceAll('"', '""'));
  });
});
