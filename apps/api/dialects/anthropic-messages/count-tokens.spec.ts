import { ASKED, CLAUDE, serveMessages, type ServedMessages } from '#test/support/messages.js';
import { operate } from '#test/support/operate.js';
import { says } from '#test/support/scripted-anthropic.js';

describe('POST /v1/messages/count_tokens', () => {
  let served: ServedMessages;
  beforeAll(async () => {
    served = await serveMessages();
  });
  afterAll(() => served.close());

  const count = (body: object, path = '/v1/messages/count_tokens') => served.post(body, {}, path);

  it("returns the provider's count of the unchanged request for a Claude-style model", async () => {
    served.claude.script(says({ content: '', usage: { input_tokens: 77, output_tokens: 0 } }));
    const { max_tokens: _, ...body } = { ...CLAUDE, tools: [{ type: 'later', odd: 1 }], later: 0 };
    const { status, body: counted } = await count({ ...body, store: true });
    expect([status, counted]).toEqual([200, { input_tokens: 77 }]);
    const sent = served.claude.seen.at(-1)!;
    expect([sent.path, sent.body]).toEqual(['/v1/messages/count_tokens', { ...body, model: 'claude' }]);
  });

  it('returns an estimate that grows with the request for other models, without sending or recording it, and without max_tokens', async () => {
    const recorded = async () => (await served.api.call('GET', '/inferences')).body.total;
    const [before, seen] = [await recorded(), served.acme.seen.length];
    const { max_tokens: _, ...body } = ASKED;
    const short = await count(body, '/v1/v1/messages/count_tokens');
    const long = await count({ ...body, system: 'Be brief. '.repeat(100), tools: [{ name: 'f', input_schema: {} }] });
    expect([short.status, long.status]).toEqual([200, 200]);
    expect(short.body.input_tokens).toBeGreaterThan(2);
    expect(long.body.input_tokens).toBeGreaterThan(short.body.input_tokens + 250);
    expect([await recorded(), served.acme.seen.length]).toEqual([before, seen]);
  });

  it('returns an estimate for the text that an encoder reads', async () => {
    const asked = (text: string) => ({
      model: 'anneal/encoder-base-v1',
      messages: [
        { role: 'user', content: 'Other' },
        { role: 'assistant', content: 'words' },
        { role: 'user', content: text },
      ],
    });
    const { status, body } = await count(asked('Anna Smith flies to Paris'));
    expect([status, body.input_tokens]).toEqual([200, 9]);
    expect((await count(asked('a '.repeat(100_000)))).body.input_tokens).toBe(50_000);
  });

  it('counts against the rate limit of inference', async () => {
    const { headers } = await count(ASKED);
    expect(headers.get('x-ratelimit-limit')).toBe('5000');
  });

  it("a model blocked in the account's region is 451 here as well", async () => {
    const { api } = served;
    await operate(api, 'team.set', { region: 'KP', team: api.teamId });
    const { status, body } = await count({ ...ASKED, model: 'acme/restricted' });
    expect([status, body.error.type]).toEqual([451, 'permission_error']);
    await operate(api, 'team.set', { region: 'DE', team: api.teamId });
  });

  it.each([
    [{ model: 'no/such' }, 404],
    [{ model: 'acme/base' }, 400],
    [{ model: 'acme/embed' }, 409],
    [{ model: 'acme/train-only' }, 409],
    [{ messages: [] }, 422],
  ])('refuses %j as the route for messages does', async (more, status) => {
    expect((await count({ ...ASKED, ...more })).status).toBe(status);
  });
});
