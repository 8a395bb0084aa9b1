import { createApiKey, findUser, type User } from '#application/accounts/index.js';
import { systemContext } from '#log/context.js';
import { startTestApi, type Answer, type TestApi } from '#test/support/api.js';
import { openSecretKey } from '#test/support/open-secret-key.js';

describe('API keys', () => {
  let api: TestApi;
  let signedIn: Record<string, string>;
  beforeAll(async () => {
    api = await startTestApi();
    signedIn = { authorization: `Bearer ${api.session}` };
  });
  afterAll(() => api.close());

  const create = (body: unknown, headers = signedIn): Promise<Answer> =>
    api.call('POST', '/create-api-key', body, headers);
  const revoke = (key_id: unknown, headers = signedIn) => api.call('DELETE', '/delete-api-key', { key_id }, headers);
  const list = (headers = signedIn) => api.call('GET', '/list-api-keys', undefined, headers);

  it('a session creates a key, which works until it is revoked and never again', async () => {
    const made = await create({ name: 'ci' });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ name: 'ci', expires_at: null, stripe_customer_created: false });
    const { secret_key, id, api_key_last_digits } = made.body as {
      secret_key: string;
      id: string;
      api_key_last_digits: string;
    };
    expect(secret_key).toMatch(/^pio_sk_[\w-]{43,}$/);
    expect(secret_key.endsWith(api_key_last_digits)).toBe(true);

    const withKey = { 'x-api-key': secret_key };
    expect((await api.call('GET', '/projects', undefined, withKey)).status).toBe(200);
    expect((await api.call('GET', '/projects', undefined, { authorization: `Bearer ${secret_key}` })).status).toBe(200);

    const revoked = await revoke(id);
    expect([revoked.status, revoked.body]).toEqual([200, { success: true, message: null }]);
    const after = await api.call('GET', '/projects', undefined, withKey);
    expect([after.status, after.body]).toEqual([401, { detail: 'this API key has been revoked' }]);

    const again = await revoke(id);
    expect(again.status).toBe(200);
    expect(again.body.message).toMatch(/before/);
  });

  it('the list has every field, masks the keys and leaves out revoked ones', async () => {
    const kept = (await create({ name: 'kept', expires_at: '2099-01-01T00:00:00Z' })).body;
    const gone = (await create({ name: 'gone' })).body;
    await revoke(gone.id);
    const { body } = await list();
    expect(body.count).toBe(body.keys.length);
    const names = (body.keys as { name: string }[]).map(({ name }) => name);
    expect(names).toContain('kept');
    expect(names).not.toContain('gone');
    expect((body.keys as { id: string }[]).find(({ id }) => id === kept.id)).toEqual({
      id: kept.id,
      name: 'kept',
      created_at: kept.created_at,
      api_key_last_digits: kept.api_key_last_digits,
      last_used_at: null,
      expires_at: '2099-01-01T00:00:00.000Z',
      scopes: null,
      ...{ models: null, requests_per_minute: null, tokens_per_minute: null, budget: null, budget_period: null },
      ...{ budget_used: null, budget_resets_at: null },
      team_id: kept.team_id,
      usage_tokens: 0,
      usage_cost: 0,
      request_count: 0,
    });
    expect(JSON.stringify(body)).not.toContain(kept.secret_key);
  });

  it('a key lists and revokes keys of its user', async () => {
    const { id } = (await create({ name: 'by key' })).body;
    const withKey = { 'x-api-key': api.key };
    expect((await list(withKey)).status).toBe(200);
    expect((await revoke(id, withKey)).status).toBe(200);
  });

  it('refuse to be created with 403 when the request also has an API key', async () => {
    const cookie = `anneal_session=${api.session}`;
    for (const headers of [
      { 'x-api-key': api.key },
      { authorization: `Bearer ${api.key}` },
      { 'x-api-key': api.key, cookie },
      { authorization: `Bearer ${api.key}`, cookie },
    ]) {
      const { status, body } = await create({ name: 'x' }, headers);
      expect([status, typeof body.detail]).toEqual([403, 'string']);
    }
  });

  it('refuse to be created with 401 without a session', async () => {
    expect((await create({ name: 'x' }, {})).status).toBe(401);
  });

  it("another member's keys are neither listed nor revocable", async () => {
    const colleague = await api.colleague();
    const { body } = await list({ 'x-api-key': colleague.key });
    expect(body).toMatchObject({ count: 1, keys: [{ name: 'hers' }] });
    const mine = (await create({ name: 'mine' })).body;
    const refused = await revoke(mine.id, { 'x-api-key': colleague.key });
    const unknown = await revoke('0190f3c4-0000-7000-8000-000000000000');
    expect([refused.status, unknown.status]).toEqual([404, 404]);
    expect((await api.call('GET', '/projects', undefined, { 'x-api-key': mine.secret_key as string })).status).toBe(
      200,
    );
  });

  it('an unknown key is 404', async () => {
    expect((await revoke('0190f3c4-0000-7000-8000-000000000000')).status).toBe(404);
    expect((await revoke('x')).status).toBe(404);
  });

  it.each([
    [{}, 'name'],
    [{ name: 5 }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x', expires_at: 'soon' }, 'expires_at'],
    [{ name: 'x', expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'x', expires_at: '2001-02-31' }, 'expires_at'],
    [{ name: 'x', expires_at: 5 }, 'expires_at'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: 'read' }, 'scopes'],
    [{ name: 'x', scopes: ['read', 'admin'] }, 'scopes'],
    [[], 'body'],
  ])('creating with %j is 422 and names %s', async (body, field) => {
    const answer = await create(body);
    expect(answer.status).toBe(422);
    expect((answer.body.errors as { loc: string[] }[])[0]?.loc.at(-1)).toBe(field);
  });

  describe('with scopes', () => {
    const MODEL = 'anneal/encoder-base-v1';
    const requests = {
      inference: ['POST', '/inference', { model_id: MODEL, text: 'Ada lives in London.', schema: ['city'] }],
      models: ['GET', '/v1/models', undefined],
      read: ['GET', '/inferences', undefined],
      write: ['POST', '/projects', { name: 'scoped' }],
    } as const;

    it.each([
      [['inference'], ['inference', 'models']],
      [['read'], ['models', 'read']],
      [['write'], ['write']],
      [
        ['write', 'inference', 'read'],
        ['inference', 'models', 'read', 'write'],
      ],
    ])('%j permit the named operations and no others', async (scopes, allowed) => {
      const made = (await create({ name: scopes.join(), scopes })).body;
      expect([...(made.scopes as string[])].sort()).toEqual([...scopes].sort());
      const listed = (await list()).body.keys as { id: string; scopes: string[] }[];
      expect(listed.find(({ id }) => id === made.id)?.scopes).toEqual(made.scopes);
      const headers = { 'x-api-key': made.secret_key as string };
      const answers = await Promise.all(
        Object.entries(requests).map(async ([name, [method, path, body]]) => ({
          name,
          answer: await api.call(method, path, body, headers),
        })),
      );
      const statuses = Object.fromEntries(answers.map(({ name, answer }) => [name, answer.status]));
      expect(statuses).toEqual(
        Object.fromEntries(Object.keys(requests).map((name) => [name, allowed.includes(name) ? 200 : 403])),
      );
      for (const { answer } of answers.filter(({ answer: { status } }) => status === 403))
        expect(answer.body.detail).toMatch(/^this needs the permission .*; this key has the scope /);
    });

    it('a refusal has the error shape of its route and precedes any check of the body', async () => {
      const { secret_key } = (await create({ name: 'auditor', scopes: ['read'] })).body;
      const headers = { 'x-api-key': secret_key as string };
      const openai = await api.call('POST', '/v1/chat/completions', '{', headers);
      expect([openai.status, openai.body.error.message]).toEqual([
        403,
        'this needs the permission `inference`; this key has the scope read, and needs inference',
      ]);
      const anthropic = await api.call('POST', '/v1/messages', '{', { ...headers, 'anthropic-version': '2023-06-01' });
      expect([anthropic.status, anthropic.body.error.type]).toEqual([403, 'permission_error']);
    });
  });

  it('an expired key is refused with 401, which says that it has expired', async () => {
    const { application, settings } = api;
    const owner = await findUser(application, 'admin@localhost');
    const lastYear = { ...systemContext('test', null), now: '2025-01-01T00:00:00.000Z' };
    const newKey = { name: 'short', expiresAt: '2025-01-02T00:00:00.000Z' };
    const secret = openSecretKey(settings.dataDir, null);
    const { secretKey } = await createApiKey(application, secret, owner as User, newKey, lastYear);
    const { status, body } = await api.call('GET', '/projects', undefined, { 'x-api-key': secretKey });
    expect([status, body.detail]).toEqual([401, expect.stringContaining('expired')]);
  });
});
