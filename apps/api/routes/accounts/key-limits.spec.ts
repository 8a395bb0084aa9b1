import { BATCH_LINE, type BatchLine, type BatchLineAnswer } from '#calls/batch-lines.js';
import type { JsonObject } from '#domain/json.js';
import { callOnce } from '#ports/bus/port.js';
import { anotherApi } from '#test/support/another-api.js';
import type { Answer, TestSystem } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { startHostedApi, type HostedSystem } from '#test/support/hosted-api.js';
import { operate } from '#test/support/operate.js';
import { says } from '#test/support/scripted-anthropic.js';
import { byPath, completes, embeds } from '#test/support/scripted-answers.js';
import { streams } from '#test/support/scripted-provider.js';
import { TrainingClient } from '#test/support/training-client.js';
import { Authenticator } from '../../edge/auth/authenticator.js';

const ENCODER = 'anneal/encoder-base-v1';
const EMBEDDER = 'anneal/embedder-base-v1';
const HOSTED = 'acme/chat';
const messages = [{ role: 'user', content: 'Ada flew to Paris' }];
const NONE = { models: null, requests_per_minute: null, tokens_per_minute: null, budget: null, budget_period: null };

describe('limits of an API key', () => {
  let hosted: HostedSystem;
  let api: TestSystem;
  let signedIn: Record<string, string>;
  let plain: Made | undefined;
  beforeAll(async () => {
    hosted = await startHostedApi();
    api = hosted.api;
    signedIn = { authorization: `Bearer ${api.session}` };
  });
  beforeEach(() =>
    hosted.openai.script(
      byPath({ completions: completes(' a time'), 'chat/completions': streams('hello'), embeddings: embeds() }),
    ),
  );
  afterAll(() => hosted.close());

  interface Made {
    readonly id: string;
    readonly headers: { readonly 'x-api-key': string };
  }
  const make = async (limits: object): Promise<Made> => {
    const { status, body } = await api.call('POST', '/create-api-key', { name: 'limited', ...limits }, signedIn);
    expect([status, body.errors]).toEqual([200, undefined]);
    return { id: body.id as string, headers: { 'x-api-key': body.secret_key as string } };
  };
  const limit = (key_id: string, limits: object, headers = signedIn) =>
    api.call('PATCH', '/limit-api-key', { key_id, ...limits }, headers);
  const listed = async ({ id }: Made) =>
    ((await api.call('GET', '/list-api-keys')).body.keys as { id: string }[]).find((key) => key.id === id)!;

  /** A call by each route that calls models, of the model that is given or of one that it can call. */
  const CALLS = {
    native: (model = ENCODER) => ['/inference', { model_id: model, text: 'Ada', schema: ['person'] }],
    gliner2: () => ['/gliner-2', { task: 'extract_entities', text: 'Ada', schema: ['person'] }],
    label: (model = ENCODER) => [
      '/generate/ner/label-existing',
      { model_id: model, inputs: ['Ada'], labels: ['person'] },
    ],
    chat: (model = HOSTED) => ['/v1/chat/completions', { model, messages, max_tokens: 5 }],
    completion: (model = 'acme/base') => ['/v1/completions', { model, prompt: 'Once', max_tokens: 5 }],
    messages: (model = HOSTED) => ['/v1/messages', { model, messages, max_tokens: 5 }],
    tokens: (model = HOSTED) => ['/v1/messages/count_tokens', { model, messages }],
    responses: (model = HOSTED) => ['/v1/responses', { model, input: 'Hello', max_output_tokens: 16 }],
    embeddings: (model = EMBEDDER) => ['/v1/embeddings', { model, input: 'Hello' }],
  } as const satisfies Record<string, (model?: string) => readonly [string, object]>;
  const call = ({ headers }: Made, kind: keyof typeof CALLS, model?: string): Promise<Answer> => {
    const [path, body] = CALLS[kind](model);
    return api.call('POST', path, body, headers);
  };
  /** Calls until one is refused. Over the turn of a minute there are two windows. */
  const untilRefused = async (most: number, made: Made, kind: keyof typeof CALLS): Promise<[number, Answer]> => {
    for (let passed = 0; ; passed += 1) {
      const answer = await call(made, kind);
      if (answer.status !== 200) return [passed, answer];
      expect(passed).toBeLessThan(2 * most);
    }
  };

  it('are set with the key, shown in lists, and changed one by one; each change is on the log with who, before and after', async () => {
    const limits = { models: [HOSTED, 'anneal/*'], requests_per_minute: 60, budget: 2.5, budget_period: 'month' };
    const { status, body } = await api.call('POST', '/create-api-key', { name: 'desk', ...limits }, signedIn);
    expect([status, body]).toEqual([200, expect.objectContaining({ ...NONE, ...limits })]);
    const made: Made = { id: body.id as string, headers: { 'x-api-key': body.secret_key as string } };
    const shown = await listed(made);
    expect(shown).toMatchObject({ ...NONE, ...limits, budget_used: 0 });
    expect((shown as unknown as { budget_resets_at: string }).budget_resets_at).toMatch(
      /^\d{4}-\d\d-01T00:00:00.000Z$/,
    );

    const changed = await limit(made.id, { budget_period: null, requests_per_minute: null, tokens_per_minute: 9_000 });
    const after = { ...NONE, models: limits.models, tokens_per_minute: 9_000, budget: 2.5 };
    expect([changed.status, changed.body]).toEqual([200, await listed(made)]);
    expect(changed.body).toMatchObject({ ...after, budget_used: 0, budget_resets_at: null });
    const lifted = await limit(made.id, { models: null, tokens_per_minute: null, budget: null });
    expect(lifted.body).toMatchObject({ ...NONE, budget_used: null, budget_resets_at: null });

    const events = await Array.fromAsync(
      api.application.ports.eventStore.readAll({ filter: { types: ['api-key-limits-changed.v1'] } }),
    );
    const own = events.filter(({ data }) => data['keyId'] === made.id);
    const { user_id: userId } = (await api.call('GET', '/account')).body as { user_id: string };
    expect(own.map(({ data, metadata }) => [data['before'], data['limits'], metadata.actor])).toEqual([
      [
        { models: limits.models, requestsPerMinute: 60, budget: '2500000000000', budgetPeriod: 'month' },
        {
          models: limits.models,
          tokensPerMinute: 9_000,
          budget: '2500000000000',
          budgetChangedAt: own[0]!.data['changedAt'],
        },
        `user:${userId}`,
      ],
      [own[0]!.data['limits'], {}, `user:${userId}`],
    ]);
  });

  it.each([
    [{ models: [] }, 'models'],
    [{ models: 'x' }, 'models'],
    [{ models: ['x'.repeat(201)] }, 'models'],
    [{ models: ['a*b'] }, '0'],
    [{ requests_per_minute: 0 }, 'requests_per_minute'],
    [{ requests_per_minute: 1_000_000_001 }, 'requests_per_minute'],
    [{ tokens_per_minute: 1.5 }, 'tokens_per_minute'],
    [{ tokens_per_minute: 1_000_000_001 }, 'tokens_per_minute'],
    [{ budget: 0 }, 'budget'],
    [{ budget: 1_000_001 }, 'budget'],
    [{ budget: 1, budget_period: 'year' }, 'budget_period'],
    [{ budget_period: 'day' }, 'budget_period'],
  ])('of %j are 422 and name %s, at creation and later', async (limits, field) => {
    // A member may make fifty keys in an hour.
    const { id } = (plain ??= await make({}));
    const many = Array.from({ length: 201 }, (_, n) => `m${n}`);
    const refused = [limit('', { budget: 1 }), limit('x'.repeat(201), { budget: 1 }), limit(id, { models: many })];
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([422, 422, 422]);
    const answers = [
      await api.call('POST', '/create-api-key', { name: 'x', ...limits }, signedIn),
      await limit(id, limits),
    ];
    for (const { status, body } of answers)
      expect([status, String((body.errors as { loc: unknown[] }[])[0]?.loc.at(-1))]).toEqual([422, field]);
  });

  it('are not changed by a key, nor by another member, whose keys are 404, nor once the key is revoked', async () => {
    const made = await make({ requests_per_minute: 1_000 });
    expect((await limit(made.id, { requests_per_minute: null }, made.headers)).status).toBe(403);
    const colleague = await api.colleague();
    const other = await api.anotherTeam();
    for (const { session } of [colleague, other]) {
      const refused = await limit(made.id, { requests_per_minute: 1 }, { authorization: `Bearer ${session}` });
      expect([refused.status, refused.body.detail]).toEqual([404, expect.stringContaining(made.id)]);
    }
    expect((await limit('0190f3c4-0000-7000-8000-000000000000', { budget: 1 })).status).toBe(404);
    await api.call('DELETE', '/delete-api-key', { key_id: made.id }, signedIn);
    expect((await limit(made.id, { requests_per_minute: 1 })).status).toBe(409);
  });

  it('are set by the operator too, as commands of the CLI give them', async () => {
    const order = { name: 'by cli', models: ['acme/*'], requestsPerMinute: '60', budget: '2.50', budgetPeriod: 'week' };
    const [made] = (await operate(api, 'key.create', order)) as [{ id: string; limits: object }];
    const limits = { models: ['acme/*'], requestsPerMinute: 60, budget: '2.50', budgetPeriod: 'week' };
    expect(made.limits).toEqual(limits);
    const change = { id: made.id, models: ['none'], tokensPerMinute: '9000', budgetPeriod: 'none' };
    const [changed] = await operate(api, 'key.limit', change);
    const after = { requestsPerMinute: 60, tokensPerMinute: 9_000, budget: '2.50' };
    expect(changed).toEqual({ id: made.id, limits: after });
    const all = (await operate(api, 'key.list', {})) as { id: string }[];
    expect(all.find(({ id }) => id === made.id)).toMatchObject({ limits: after, budgetUsed: '0.00' });
    for (const [wrong, says] of [
      [{ requestsPerMinute: 'many' }, 'must be a whole number'],
      [{ budget: 'much' }, 'is no amount'],
      [{ budget: '1', budgetPeriod: 'year' }, 'must be one of day, week, month'],
      [{ id: 'nobody', budget: '1' }, 'there is no API key nobody'],
      [{}, 'say what to limit'],
    ] as const)
      await expect(operate(api, 'key.limit', { id: made.id, ...wrong })).rejects.toThrow(says);
  });

  it.each(['native', 'label', 'chat', 'completion', 'messages', 'tokens', 'responses', 'embeddings'] as const)(
    'refuse a model that is not allowed with 403 in the shape of the route: %s',
    async (kind) => {
      const made = await make({ models: ['acme/other-*', 'tickets'] });
      const { status, body } = await call(made, kind);
      expect(status).toBe(403);
      const says = (body.detail ?? body.error.message) as string;
      expect(says).toMatch(/may not call model .+; its limit models allows acme\/other-\*, tickets: call one of these/);
      if (kind === 'messages' || kind === 'tokens') expect(body.error.type).toBe('permission_error');
      else if (kind !== 'native' && kind !== 'label')
        expect(body.error).toMatchObject({ type: 'permission_error', code: 'forbidden' });
      expect((await limit(made.id, { models: null })).status).toBe(200);
      expect((await call(made, kind)).status).toBe(200);
    },
  );

  it('allow a model by its id, an alias, a beginning or a name of the workspace, and list no others', async () => {
    await api.call('POST', '/models', { name: 'desk-model' });
    await api.call('POST', '/models/desk-model/versions', { model_id: ENCODER });
    await api.call('PUT', '/models/desk-model/versions/1/promote', { reason: 'the first one' });
    const { body: models } = await api.call('GET', '/v1/models');
    const all = (models.data as { id: string }[]).map(({ id }) => id);
    expect(all).toEqual(expect.arrayContaining([ENCODER, EMBEDDER, HOSTED]));
    const made = await make({ models: ['acme/claude*', EMBEDDER] });
    const list = await api.call('GET', '/v1/models', undefined, made.headers);
    expect((list.body.data as { id: string }[]).map(({ id }) => id).sort()).toEqual([
      'acme/claude',
      'acme/claude-or-chat',
      EMBEDDER,
    ]);
    const base = await api.call('GET', '/base-models', undefined, made.headers);
    expect((base.body.models as { id: string }[]).map(({ id }) => id).sort()).toEqual([
      'acme/claude',
      'acme/claude-or-chat',
      EMBEDDER,
    ]);
    const one = (id: string) => api.call('GET', `/v1/models/${id}`, undefined, made.headers);
    expect([(await one(EMBEDDER)).status, (await one(HOSTED)).status]).toEqual([200, 404]);
    expect((await call(made, 'embeddings')).status).toBe(200);

    const named = await make({ models: ['desk-model'] });
    const names = await api.call('GET', '/v1/models', undefined, named.headers);
    expect((names.body.data as { id: string }[]).map(({ id }) => id)).toEqual(['desk-model']);
    const statuses = ['desk-model', 'desk-model@1', ENCODER].map(
      async (id) => (await call(named, 'native', id)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
  });

  it('let a key put no model under a name that it may call, if it may not call the model', async () => {
    const { headers } = await make({ models: ['borrowed', 'anneal/*'] });
    expect((await api.call('POST', '/models', { name: 'borrowed' }, headers)).status).toBe(200);
    const add = (model_id: string) => api.call('POST', '/models/borrowed/versions', { model_id }, headers);
    const { status, body } = await add(HOSTED);
    expect([status, body.detail]).toEqual([403, expect.stringContaining(`may not call model ${HOSTED}`)]);
    expect((await add(ENCODER)).status).toBe(200);
  });

  it('let a key bring no version into use whose model it may not call', async () => {
    await api.call('POST', '/models', { name: 'mixed' });
    for (const model_id of [HOSTED, 'acme/claude', HOSTED])
      expect((await api.call('POST', '/models/mixed/versions', { model_id })).status).toBe(200);
    for (const version of [1, 3])
      await api.call('PUT', `/models/mixed/versions/${version}/promote`, { reason: 'the first ones' });
    const { headers } = await make({ models: ['mixed', 'acme/claude'] });
    const put = (path: string, body: object) => api.call('PUT', `/models/mixed${path}`, body, headers);
    const change = {
      promote: (version: number) => put(`/versions/${version}/promote`, { reason: 'x' }),
      label: (version: number) => put('/labels/next', { version }),
      traffic: (version: number) => put('/traffic', { version, percent: 5 }),
      shadow: (version: number) => put('/shadow', { version }),
    };
    for (const changed of [
      ...Object.values(change).map((each) => () => each(1)),
      () => api.call('POST', '/models/mixed/rollback', { reason: 'x' }, headers),
    ]) {
      const { status, body } = await changed();
      expect([status, body.detail]).toEqual([403, expect.stringContaining(`may not call model ${HOSTED}`)]);
    }
    for (const name of ['label', 'traffic', 'shadow', 'promote'] as const)
      expect([name, (await change[name](2)).status]).toEqual([name, 200]);
    expect((await put('/traffic', { version: null })).status).toBe(200);
  });

  it('ask no shadow that the budget does not cover, and count what one costs at once', async () => {
    await api.call('POST', '/models', { name: 'shadowed' });
    for (const model_id of [HOSTED, 'acme/claude']) await api.call('POST', '/models/shadowed/versions', { model_id });
    await api.call('PUT', '/models/shadowed/versions/1/promote', { reason: 'x' });
    expect((await api.call('PUT', '/models/shadowed/shadow', { version: 2 })).status).toBe(200);
    hosted.claude.script(says('hello'));
    const made = await make({ budget: 0.000_001 });
    const refused = await call(made, 'chat', 'shadowed');
    const [, most] = /may cost up to \$([\d.]+)/.exec(refused.body.message as string) ?? [];
    expect([refused.status, Number(most) > 0]).toEqual([402, true]);
    const asked = hosted.claude.seen.length;
    // Enough for the call alone.
    await limit(made.id, { budget: Number(most) });
    expect((await call(made, 'chat', 'shadowed')).status).toBe(200);
    const rich = await make({ budget: 0.001 });
    expect((await call(rich, 'chat', 'shadowed')).status).toBe(200);
    await api.until(
      async () => (await listed(rich)) as unknown as { request_count: number },
      ({ request_count: calls }) => calls === 2,
    );
    expect(hosted.claude.seen.length - asked).toBe(1);
    // Each of the two has cost $0.000048.
    const body = { model: HOSTED, messages, max_tokens: 4_000 };
    const { body: told } = await api.call('POST', '/v1/chat/completions', body, rich.headers);
    expect(told.message).toContain('has $0.000904 left');
  });

  it('say how short an answer the rest of a budget covers, and where budgets are set', async () => {
    const made = await make({ budget: 0.001 });
    const ask = (max_tokens: number) =>
      api.call('POST', '/v1/chat/completions', { model: HOSTED, messages, max_tokens }, made.headers);
    const { status, body } = await ask(4_000);
    const [, fitting] = /; limit its output to (\d+) tokens, call with another key/.exec(body.message as string) ?? [];
    expect([status, body.error.resolution_url]).toEqual([402, `${api.url}/console/keys`]);
    expect((await ask(Number(fitting) + 1)).status).toBe(402);
    expect((await ask(Number(fitting))).status).toBe(200);
    const poor = await make({ budget: 0.000_001 });
    const none = await api.call(
      'POST',
      '/v1/chat/completions',
      { model: HOSTED, messages, max_tokens: 5 },
      poor.headers,
    );
    expect(none.body.message).toMatch(/; call with another key, or/);
  });

  it('that are lowered hold at once', async () => {
    const made = await make({ requests_per_minute: 1_000 });
    expect((await call(made, 'native')).status).toBe(200);
    await limit(made.id, { requests_per_minute: 1 });
    const [passed, { status, body }] = await untilRefused(1, made, 'native');
    // Over the turn of a minute one more passes.
    expect([passed <= 1, status]).toEqual([true, 429]);
    expect(body.detail).toContain('may use 1 request in a minute');
  });

  it.each(['native', 'label', 'chat', 'messages', 'responses', 'embeddings', 'completion', 'gliner2'] as const)(
    'refuse requests beyond their rate with 429 in the shape of the route, and when to come back: %s',
    async (kind) => {
      const made = await make({ requests_per_minute: 2 });
      const [passed, { status, headers, body }] = await untilRefused(2, made, kind);
      expect([passed >= 2, status]).toEqual([true, 429]);
      const message = expect.stringContaining(
        'may use 2 requests in a minute (its limit requests_per_minute)',
      ) as string;
      if (kind === 'native' || kind === 'label' || kind === 'gliner2')
        expect(body).toEqual({ detail: message, code: 'rate_limited', scope: 'key-requests' });
      else if (kind === 'messages') expect(body.error).toEqual({ type: 'rate_limit_error', message });
      else expect(body.error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded', message });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(['limit', 'remaining', 'scope', 'code'].map((name) => headers.get(`x-ratelimit-${name}`))).toEqual([
        '2',
        '0',
        'key-requests',
        'rate_limited',
      ]);
    },
  );

  it('show the requests that are left in answers, and act at once when they are raised', async () => {
    const made = await make({ requests_per_minute: 1 });
    const first = await call(made, 'native');
    expect(['limit', 'remaining'].map((name) => first.headers.get(`x-ratelimit-${name}`))).toEqual(['1', '0']);
    await untilRefused(1, made, 'native');
    await limit(made.id, { requests_per_minute: 100 });
    expect((await call(made, 'native')).status).toBe(200);
    // Other requests, such as lists, are not the key's calls.
    expect((await api.call('GET', '/projects', undefined, made.headers)).headers.get('x-ratelimit-limit')).toBe(
      '20000',
    );
  });

  it('count the tokens of calls as they become known, also streamed ones, and refuse beyond with 429', async () => {
    // A call has 12 + 3.
    const made = await make({ tokens_per_minute: 20 });
    const streamed = () =>
      api.call('POST', '/v1/chat/completions', { model: HOSTED, messages, max_tokens: 5, stream: true }, made.headers);
    for (let passed = 0; ; passed += 1) {
      const { status, headers, body } = await streamed();
      if (status === 200) {
        expect(passed).toBeLessThan(6);
        continue;
      }
      expect([status, passed >= 2, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-scope')]).toEqual([
        429,
        true,
        '20',
        'key-tokens',
      ]);
      expect(body.error.message).toContain('may use 20 tokens in a minute (its limit tokens_per_minute)');
      break;
    }
  });

  it('refuse calls that a budget does not cover with 402 in the shape of the route, and show what is used', async () => {
    // A call costs 12 * $2 + 3 * $8 per million, $0.000048.
    const made = await make({ budget: 0.001, budget_period: 'day' });
    expect((await call(made, 'chat')).status).toBe(200);
    const [, refused] = await untilRefused(11, made, 'chat');
    expect([refused.status, refused.body.error]).toEqual([
      402,
      expect.objectContaining({
        type: 'insufficient_quota',
        code: 'out_of_credits',
        resolution_url: expect.any(String),
      }),
    ]);
    expect(refused.body.message).toMatch(
      /^the budget of this API key, \$0\.001 a day, has \$0\.\d+ left, and this call may cost up to \$0\.\d+; (?:limit its output to \d tokens, )?call again from \d{4}-\d\d-\d\dT00:00:00\.000Z on, or have the key's owner raise it$/,
    );
    expect(refused.headers.get('x-should-retry')).toBe('false');
    const anthropic = await call(made, 'messages');
    expect([anthropic.status, anthropic.body.error.type]).toEqual([402, 'billing_error']);
    const native = await api.call(
      'POST',
      '/inference',
      { model_id: HOSTED, task: 'generate', messages, max_tokens: 5 },
      made.headers,
    );
    expect([native.status, native.body]).toEqual([
      402,
      { code: 'out_of_credits', message: expect.any(String), resolution_url: expect.any(String) },
    ]);
    await api.drained();
    const { usage_cost, budget_used } = (await listed(made)) as unknown as { usage_cost: number; budget_used: number };
    expect(usage_cost).toBeGreaterThan(0.0005);
    expect(usage_cost).toBeLessThanOrEqual(0.001);
    expect(budget_used).toBeLessThanOrEqual(0.001);

    // A raised budget counts what was used before.
    const raised = await limit(made.id, { budget: 0.002 });
    expect(raised.body.budget_used).toBeCloseTo(usage_cost, 12);
    expect((await call(made, 'chat')).status).toBe(200);
    // One for life counts it too, and one without a budget is free.
    await limit(made.id, { budget: 0.0005, budget_period: null });
    const forLife = await call(made, 'chat');
    expect([forLife.status, forLife.body.message]).toEqual([402, expect.stringContaining('in all')]);
    await limit(made.id, { budget: null });
    expect((await call(made, 'chat')).status).toBe(200);
  });

  it('hold across processes: two spend no more than the budget, and let hardly more through than the rates', async () => {
    const other = await anotherApi(api);
    try {
      const made = await make({ budget: 0.002, tokens_per_minute: 1_000_000, requests_per_minute: 1_000 });
      const body = { model: HOSTED, messages, max_tokens: 5 };
      const statuses = await Promise.all(
        Array.from(
          { length: 80 },
          async (_, n) => (await (n % 2 ? other : api).call('POST', '/v1/chat/completions', body, made.headers)).status,
        ),
      );
      expect(new Set(statuses)).toEqual(new Set([200, 402]));
      await api.drained();
      const { usage_cost, request_count } = (await listed(made)) as unknown as {
        usage_cost: number;
        request_count: number;
      };
      expect(request_count).toBe(statuses.filter((status) => status === 200).length);
      expect(usage_cost).toBeLessThanOrEqual(0.002);

      const paced = await make({ requests_per_minute: 10 });
      const both = await Promise.all(
        Array.from({ length: 40 }, async (_, n) => {
          const { status } = await (n % 2 ? other : api).call('POST', '/inference', CALLS.native()[1], paced.headers);
          return status;
        }),
      );
      const passed = both.filter((status) => status === 200).length;
      // Two windows over the turn of a minute.
      expect([passed >= 10, passed <= 20]).toEqual([true, true]);
    } finally {
      await other.close();
    }
  });

  it('hold for requests of batches', async () => {
    const made = await make({ models: [ENCODER], requests_per_minute: 1 });
    const { kind, userId, teamId, workspaceId, keyId } = await api.app
      .get(Authenticator)
      .authenticate({ kind: 'key', key: made.headers['x-api-key'] });
    let count = 0;
    const line = async (model: string, more: JsonObject) => {
      const [endpoint, body] = ['/v1/chat/completions', { model, messages, ...more }] as const;
      const requestId = `batch_limits_${made.id}_${(count += 1)}`;
      const sent: BatchLine = {
        endpoint,
        body,
        requestId,
        askedAt: new Date().toISOString(),
        caller: { kind, userId, teamId, workspaceId, keyId },
      };
      return (await callOnce(api.application.ports.bus, BATCH_LINE, sent, {
        deadlineMs: 300_000,
      })) as unknown as BatchLineAnswer;
    };
    expect((await line(HOSTED, { max_tokens: 5 })).status).toBe(403);
    const answers: BatchLineAnswer[] = [];
    while (answers.at(-1)?.status !== 429 && answers.length < 4)
      answers.push(await line(ENCODER, { schema: ['person'] }));
    expect(answers[0]!.status).toBe(200);
    expect(answers.at(-1)).toMatchObject({
      status: 429,
      retryAfterSeconds: expect.any(Number),
      body: { error: { code: 'rate_limit_exceeded' } },
    });
  });

  it('hold for work that a key has begun: evaluations of hosted models, and generation by them', async () => {
    const rows = Array.from({ length: 4 }, (_, row) =>
      JSON.stringify({
        messages: [
          { role: 'user', content: `parcel ${row}?` },
          { role: 'assistant', content: 'Lima' },
        ],
      }),
    );
    await uploadDataset(api, { dataset_name: 'chats', dataset_type: 'decoder', filename: 'a.jsonl' }, rows.join('\n'));
    const other = await make({ models: [ENCODER] });
    const evaluation = { base_model: HOSTED, dataset_name: 'chats' };
    const generation = {
      model_id: HOSTED,
      task_type: 'ner',
      dataset_name: 'made',
      labels: ['city'],
      num_examples: 5,
      domain_description: 'trips',
    };
    expect((await api.call('POST', '/felix/evaluations', evaluation, other.headers)).status).toBe(403);
    expect((await api.call('POST', '/generate', generation, other.headers)).status).toBe(403);

    const poor = await make({ budget: 0.000_1 });
    const client = new TrainingClient({
      ...api,
      call: (method, path, body, headers = poor.headers) => api.call(method, path, body, headers),
    });
    const ended = await client.evaluate(evaluation);
    expect(ended).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('the budget of this API key'),
    });
  });

  it('cost nothing for keys without limits: embeddings of a hosted model and all others pass', async () => {
    const made = await make({});
    expect(await listed(made)).toMatchObject({ ...NONE, budget_used: null, budget_resets_at: null });
    expect((await call(made, 'embeddings', 'acme/embed')).status).toBe(200);
  });
});
