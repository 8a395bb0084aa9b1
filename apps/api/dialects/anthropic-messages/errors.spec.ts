import { ASKED, CLAUDE, eventsOf, serveMessages, type ServedMessages } from '#test/support/messages.js';
import { fails, says } from '#test/support/scripted-anthropic.js';
import { answers } from '#test/support/scripted-answers.js';
import { refuses } from '#test/support/scripted-provider.js';

describe('POST /v1/messages', () => {
  let served: ServedMessages;
  beforeAll(async () => {
    served = await serveMessages();
  });
  afterAll(() => served.close());

  const VERSION = { 'anthropic-version': '2023-06-01' };

  it('answers errors in the envelope of the Anthropic API, and also in `detail` if the version header is missing', async () => {
    for (const path of ['/v1/messages', '/v1/v1/messages', '/v1/messages/count_tokens', '/v1/messages?beta=true']) {
      const { status, headers, body } = await served.post({ ...ASKED, messages: 5 }, {}, path);
      const error = { type: 'invalid_request_error', message: expect.stringContaining('messages') };
      const envelope = { type: 'error', error, request_id: headers.get('request-id') };
      expect([path, status, body]).toEqual([path, 422, { ...envelope, detail: error.message }]);
      const versioned = await served.post({ ...ASKED, messages: 5 }, VERSION, path);
      expect(versioned.body).toEqual({ ...envelope, request_id: versioned.headers.get('request-id') });
    }
  });

  it.each(['2024-01-01', '', '2023-06-01, 2026-10-21', 'latest'])(
    'refuses another version with 400, naming the supported ones: %j',
    async (version) => {
      for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
        const { status, body } = await served.post(ASKED, { 'anthropic-version': version }, path);
        expect([status, body.error.type]).toEqual([400, 'invalid_request_error']);
        expect(body.error.message).toContain('2023-06-01, 2026-10-21');
      }
      expect(
        (
          await served.api.call('GET', '/base-models', undefined, {
            'x-api-key': served.api.key,
            'anthropic-version': version,
          })
        ).status,
      ).toBe(200);
    },
  );

  it.each(['temperature', 'top_p', 'top_k'])('refuses %s in version 2026-10-21', async (field) => {
    served.acme.script(answers('x'));
    const body = { ...ASKED, [field]: 1 };
    const { status, body: told } = await served.post(body, { 'anthropic-version': '2026-10-21' });
    expect([status, told.error.message]).toEqual([422, expect.stringContaining(field)]);
    expect((await served.post(body, VERSION)).status).toBe(200);
    expect((await served.post(body)).status).toBe(200);
  });

  it.each([
    ['an unknown model', { model: 'no/such' }, 404, 'not_found_error'],
    ['no model', { model: undefined }, 422, 'invalid_request_error'],
    ['no limit of output', { max_tokens: undefined }, 422, 'invalid_request_error'],
    ['a limit beyond the model', { max_tokens: 100_000 }, 422, 'invalid_request_error'],
    ['a decoder without instructions', { model: 'acme/base' }, 400, 'invalid_request_error'],
    ['an embedder', { model: 'acme/embed' }, 409, 'invalid_request_error'],
    ['a model that is only trained', { model: 'acme/train-only' }, 409, 'invalid_request_error'],
    ['an encoder without a schema', { model: 'anneal/encoder-base-v1' }, 422, 'invalid_request_error'],
    ['an unknown project', { project_id: 'p' }, 404, 'not_found_error'],
  ])('is refused: %s', async (_, more, status, type) => {
    const answer = await served.post({ ...ASKED, ...more });
    expect([answer.status, answer.body.error.type]).toEqual([status, type]);
  });

  it.each(['{', '"text"', '[]', 'null', ''])('refuses a body that is not an object: %j', async (body) => {
    const { status, body: told } = await served.post(body);
    expect([status, told.type]).toEqual([body === '{' ? 400 : 422, 'error']);
  });

  describe('an overloaded provider', () => {
    const told = expect.objectContaining({ type: 'overloaded_error' });

    it.each([429, 529])('becomes 529 when it answers %i', async (status) => {
      served.acme.script(refuses(status, {}, { 'retry-after': '7' }));
      for (const path of ['/v1/messages', '/v1/v1/messages', '/v1/messages?beta=true']) {
        const { status: ours, headers, body } = await served.post(ASKED, {}, path);
        expect([ours, body.error]).toEqual([529, told]);
        expect([headers.get('x-should-retry'), headers.get('retry-after')]).toEqual(['true', '7']);
      }
    });

    it('becomes 529 also if it has the same style', async () => {
      served.claude.script(fails(529, { type: 'overloaded_error', message: 'Overloaded' }));
      const { status, body } = await served.post(CLAUDE, VERSION);
      expect([status, body.error]).toEqual([529, told]);
    });

    it('becomes 503 with Retry-After in other dialects', async () => {
      served.acme.script(refuses(529, {}, { 'retry-after': '7' }));
      served.claude.script(fails(529, { type: 'overloaded_error', message: 'Overloaded' }, { 'retry-after': '7' }));
      const { max_tokens: _, ...counted } = CLAUDE;
      for (const [path, body] of [
        ['/v1/chat/completions', ASKED],
        ['/v1/messages/count_tokens', counted],
        ['/inference', { model_id: 'acme/chat', messages: ASKED.messages }],
      ] as const) {
        const { status, headers } = await served.post(body, {}, path);
        expect([path, status, headers.get('retry-after')]).toEqual([path, 503, '7']);
      }
    });

    it('becomes an error event in the middle of a stream', async () => {
      const overloaded = { type: 'overloaded_error', message: 'Overloaded' };
      served.claude.script(says({ content: 'Hello there', breaksOff: overloaded }));
      const { body, headers } = await served.post({ ...CLAUDE, stream: true });
      const events = eventsOf(body as string);
      expect(events.at(-1)).toEqual({
        type: 'error',
        error: { type: 'overloaded_error', message: expect.any(String) },
        request_id: headers.get('request-id'),
      });
      expect(events.some(({ type }) => type === 'message_stop')).toBe(false);
    });
  });

  it.each([400, 422, 413])("keeps the status and message of the provider's refusal: %i", async (status) => {
    served.claude.script(fails(status, { type: 'invalid_request_error', message: 'messages: too odd' }));
    const { status: ours, body } = await served.post(CLAUDE, VERSION);
    expect([ours, body.error.message]).toEqual([status, 'messages: too odd']);
  });

  it.each([401, 403, 500, 503])(
    "answers 503 for a provider's refusal of our key and for its faults: %i",
    async (status) => {
      served.claude.script(fails(status, { type: 'api_error', message: 'private' }));
      const { status: ours, body } = await served.post(CLAUDE, VERSION);
      expect([ours, body.error.type]).toEqual([503, 'api_error']);
      expect(body.error.message).not.toContain('private');
    },
  );
});
