import { userIdOf } from '#application/accounts/index.js';
import { eventually } from '#test/support/eventually.js';
import { operate } from '#test/support/operate.js';
import { startTestApi, type TestApi } from '#test/support/api.js';

const TYPES =
  'signed-in.v1,sign-in-refused.v1,workspace-switched.v1,signed-out.v1,sign-in-link-made.v1,key-origin-seen.v1';
const PASSWORD = 'a long enough password';
const FIREFOX = 'Mozilla/5.0 (X11) Firefox/140';

interface Recorded {
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly actor: string;
}

describe('who signs in', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startTestApi({ adminEmail: 'ada@example.com', adminPassword: PASSWORD })));
  afterAll(() => api.close());

  const log = async (headers?: Record<string, string>): Promise<readonly Recorded[]> =>
    (await api.call('GET', `/events/log?type=${TYPES}&limit=1000`, undefined, headers)).body.events;
  const signIn = (email: string, password: string) =>
    api.call('POST', '/auth/sign-in', { email, password }, { 'user-agent': FIREFOX });

  it('is on the log, from the sign-in to the end of the session, by an id of the session', async () => {
    const { body } = await signIn('ada@example.com', PASSWORD);
    const session = { authorization: `Bearer ${body.session_token}` };
    const { body: me } = await api.call('GET', '/auth/session', undefined, session);
    await api.call('POST', '/auth/sign-out', undefined, session);
    const of = { userId: me.user_id, workspaceId: me.workspace_id };
    const origin = { network: '127.0.0.0/24', agent: FIREFOX, address: expect.stringMatching(/^[\w-]{16}$/) };
    const own = (await log()).filter(({ type }) => type !== 'key-origin-seen.v1').slice(-2);
    expect(own).toMatchObject([
      { type: 'signed-in.v1', data: { ...of, method: 'password', origin }, actor: `user:${me.user_id}` },
      { type: 'signed-out.v1', data: of },
    ]);
    const [id] = new Set(own.map(({ data }) => data['sessionId']));
    expect(own.every(({ data }) => data['sessionId'] === id)).toBe(true);
    // The id opens nothing, and nothing says the address or the token.
    expect(
      (await api.call('GET', '/auth/session', undefined, { authorization: `Bearer ${id as string}` })).status,
    ).toBe(401);
    for (const secret of [body.session_token, '127.0.0.1', 'ada@example.com'])
      expect(JSON.stringify(own)).not.toContain(secret);
  });

  it('is on the log also where it was refused, of users that there are', async () => {
    for (const email of ['nobody@example.com', 'ada@example.com'])
      expect((await signIn(email, 'wrong password')).status).toBe(401);
    const refused = async () => (await log()).filter(({ type }) => type === 'sign-in-refused.v1');
    await eventually(async () => (await refused()).length > 0);
    expect(await refused()).toMatchObject([
      { data: { why: 'wrong-password', origin: { agent: FIREFOX } }, actor: 'system:api' },
    ]);
  });

  it('is on the log where a link was used before', async () => {
    const [made] = await operate(api, 'sign-in-link', {});
    const follow = async () => (await fetch(made!['signInLink'] as string, { redirect: 'manual' })).status;
    expect(await follow()).toBeLessThan(400);
    expect(await follow()).toBeGreaterThanOrEqual(400);
    const spent = async () => (await log()).filter(({ data }) => data['why'] === 'spent-link');
    await eventually(async () => (await spent()).length > 0);
    expect(await spent()).toMatchObject([{ data: { method: 'link' }, actor: 'system:api' }]);
  });

  it('is on the log where a session goes to another workspace', async () => {
    const email = 'grace@example.com';
    const [added] = await operate(api, 'team.add-member', { email });
    const followed = await fetch(added!['signInLink'] as string, { redirect: 'manual' });
    const token = /anneal_session=([\w-]+)/.exec(followed.headers.get('set-cookie') ?? '')?.[1] ?? '';
    const owner = { authorization: `Bearer ${api.session}` };
    expect((await api.call('PUT', '/workspace/members', { email, role: 'auditor' }, owner)).status).toBe(200);
    const to = { workspace_id: api.workspaceId };
    const switched = await api.call('POST', '/auth/workspace', to, { authorization: `Bearer ${token}` });
    expect(switched.body).toMatchObject(to);
    expect((await log()).filter(({ type }) => type === 'workspace-switched.v1')).toMatchObject([
      { data: { userId: userIdOf(email), workspaceId: api.workspaceId }, actor: `user:${userIdOf(email)}` },
    ]);
  });

  it('is on the log a thousand times a day at most where it was refused', async () => {
    const userId = userIdOf('ada@example.com');
    await api.application.ports.coordination.increment(`sign-ins-refused:${userId}`, 1_000, 86_400_000);
    const types = async () => (await log()).map(({ type }) => type);
    const before = (await types()).filter((type) => type === 'sign-in-refused.v1').length;
    expect((await signIn('ada@example.com', 'wrong password')).status).toBe(401);
    const begun = (await types()).filter((type) => type === 'signed-in.v1').length;
    await signIn('ada@example.com', PASSWORD);
    await eventually(async () => (await types()).filter((type) => type === 'signed-in.v1').length > begun);
    expect((await types()).filter((type) => type === 'sign-in-refused.v1')).toHaveLength(before);
  });

  it('is shown to the workspace alone', async () => {
    const { key } = await api.colleague();
    const types = async () => (await log({ 'x-api-key': key })).map(({ data }) => data['workspaceId']);
    await eventually(async () => (await types()).length > 0);
    expect(await types()).not.toContain(api.workspaceId);
  });

  it('with a key, is on the log once an address and program', async () => {
    const { body: made } = await api.call(
      'POST',
      '/create-api-key',
      { name: 'k' },
      { authorization: `Bearer ${api.session}` },
    );
    const use = (agent: string) =>
      api.call('GET', '/projects', undefined, { 'x-api-key': made.secret_key as string, 'user-agent': agent });
    for (const agent of ['openai-python/1.2', 'openai-python/1.3', 'curl/8', 'curl/8']) await use(agent);
    const seen = async () =>
      (await log()).flatMap(({ type, data }) =>
        type === 'key-origin-seen.v1' && data['keyId'] === made.id ? [(data['origin'] as { agent: string }).agent] : [],
      );
    await eventually(async () => (await seen()).length >= 2);
    expect((await seen()).toSorted()).toEqual(['curl', 'openai-python']);
  });
});
