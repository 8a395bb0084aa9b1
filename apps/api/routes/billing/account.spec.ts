import { LIMIT_NAMES, WORKSPACE_LIMITS } from '#domain/team/index.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { operate } from '#test/support/operate.js';

const ENCODER = 'anneal/encoder-base-v1';

describe('GET /account', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const account = async () => (await api.call('GET', '/account')).body;
  const optOut = (opted_out: unknown) => api.call('PUT', '/account/data-use', { opted_out });

  it('returns every field for a new team', async () => {
    const { body } = await api.call('GET', '/auth/session', undefined, { authorization: `Bearer ${api.session}` });
    expect(await account()).toEqual({
      team_id: body.team_id,
      team_name: 'Team',
      members_count: 1,
      user_id: body.user_id,
      workspace_id: body.workspace_id,
      plan: 'free',
      region: null,
      rollouts: [],
      card_verified: false,
      data_use: { opted_out: false, can_opt_out: false, meaning: expect.stringContaining('may use') },
      enforcement: { enforced: false, card_required: false },
      credits: {
        month: new Date().toISOString().slice(0, 7),
        monthly_credits: 0,
        spent: 0,
        overage: 0,
        overage_ceiling: null,
        paid_balance: 0,
        available: 0,
      },
      limits: expect.any(Array),
      created_at: expect.any(String),
    });
  });

  it('shows every limit of the workspace, and the amount used where it is counted', async () => {
    const limits = (await account()).limits as readonly { readonly name: string; readonly used: number | null }[];
    expect(limits).toEqual(
      LIMIT_NAMES.map((name) => {
        const { default: limit, unit } = WORKSPACE_LIMITS[name];
        return { name, limit, used: limits.find((each) => each.name === name)?.used, unit };
      }),
    );
    const counted = limits.filter(({ name }) => ['stored_bytes', 'stored_rows', 'open_uploads'].includes(name));
    expect(counted.map(({ used }) => used)).toEqual([0, 0, 0]);
  });

  it("shows the operator's settings", async () => {
    await operate(api, 'team.set', { plan: 'pro', region: 'DE', card: true });
    await operate(api, 'team.rollout', { rollout: 'preview', enabled: true });
    await operate(api, 'credits.add', { dollars: '12.5' });
    await operate(api, 'credits.monthly', { dollars: '3' });
    await operate(api, 'credits.ceiling', { dollars: '10' });
    await operate(api, 'credits.correct', { dollars: '-0.5', reason: 'goodwill' });
    expect(await account()).toMatchObject({
      plan: 'pro',
      region: 'DE',
      rollouts: ['preview'],
      card_verified: true,
      credits: { monthly_credits: 3, overage_ceiling: 10, paid_balance: 12, available: 13 },
    });
    const { body } = await api.call('GET', '/account/ledger?limit=3&offset=0');
    expect([body.total, body.limit, body.offset]).toEqual([4, 3, 0]);
    expect(body.entries).toMatchObject([
      { kind: 'correction', amount: -0.5, reason: 'goodwill', inference_id: null },
      { kind: 'overage_ceiling', amount: 10, reason: null },
      { kind: 'monthly_credits', amount: 3 },
    ]);
  });

  it('opting out of data use needs a plan that allows it, and says so', async () => {
    expect((await optOut(true)).body).toMatchObject({ opted_out: true, can_opt_out: true });
    expect((await optOut(true)).status).toBe(200);
    expect((await account()).data_use.meaning).toContain('may not use');
    // The opt-out ends with the plan.
    await operate(api, 'team.set', { plan: 'free' });
    expect((await account()).data_use).toMatchObject({ opted_out: false, can_opt_out: false });
    const refused = await optOut(true);
    expect([refused.status, refused.body]).toEqual([403, { detail: expect.stringContaining('plan is free') }]);
    expect((await optOut('yes')).status).toBe(422);
    const events = await api.call('GET', `/events?stream=team-${(await account()).team_id}`);
    expect(JSON.stringify(events.body)).toContain('team-data-use-set.v1');
  });

  it("usage is reported by day, model and key, for the caller's workspace only", async () => {
    const body = { model_id: 'fastino/gliner2-base-v1', text: 'Ada lives in London', schema: ['person'] };
    const bySession = { authorization: `Bearer ${api.session}` };
    const answers = [
      await api.call('POST', '/inference', body),
      await api.call('POST', '/inference', body),
      await api.call('POST', '/inference', body, bySession),
    ];
    const tokens = (answers[0]!.body as { token_usage: number }).token_usage;
    const day = new Date().toISOString().slice(0, 10);
    await api.drained();
    const keys = (await api.call('GET', '/list-api-keys')).body.keys as Record<string, unknown>[];
    const { body: usage } = await api.call('GET', '/account/usage');
    const expected = { day, model_id: ENCODER, failed_count: 0, output_tokens: 0, cache_read_tokens: 0 };
    expect([...usage.usage].sort((a, b) => b.request_count - a.request_count)).toMatchObject([
      {
        ...expected,
        api_key_id: keys[0]!['id'],
        request_count: 2,
        input_tokens: 2 * tokens,
        cost: (2 * tokens * 0.15) / 1e6,
      },
      { ...expected, api_key_id: null, request_count: 1, input_tokens: tokens },
    ]);
    expect(keys[0]).toMatchObject({
      request_count: 2,
      usage_tokens: 2 * tokens,
      usage_cost: (2 * tokens * 0.15) / 1e6,
    });
    const { key } = await api.colleague();
    expect((await api.call('GET', '/account/usage', undefined, { 'x-api-key': key })).body.total).toBe(0);
    expect((await api.call('GET', `/account/usage?until=2020-01-01`)).body.total).toBe(0);
    expect((await api.call('GET', `/account/usage?since=${day}&limit=1`)).body).toMatchObject({ total: 2, limit: 1 });
  });

  it.each([
    ['limit=x', 400],
    ['limit=0', 422],
    ['limit=1001', 422],
    ['offset=-1', 422],
    ['since=soon', 400],
  ])('usage?%s is %i', async (query, status) => {
    expect((await api.call('GET', `/account/usage?${query}`)).status).toBe(status);
  });

  it('refuses a request without credentials', async () => {
    for (const path of ['/account', '/account/usage', '/account/ledger'])
      expect((await api.call('GET', path, undefined, {})).status).toBe(401);
  });
});
