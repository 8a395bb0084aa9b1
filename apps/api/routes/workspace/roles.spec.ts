import { userIdOf } from '#application/accounts/index.js';
import { startTestApi, type Answer, type TestApi } from '#test/support/api.js';
import { operate } from '#test/support/operate.js';

const MODEL = 'anneal/encoder-base-v1';
const TEXT = 'Ada lives in London.';

interface Person {
  readonly email: string;
  readonly headers: Record<string, string>;
}

describe('people in a workspace', () => {
  let api: TestApi;
  let owner: Record<string, string>;
  let workspaceId: string;
  let inferenceId: string;
  let count = 0;
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    owner = { authorization: `Bearer ${api.session}` };
    workspaceId = (await api.call('GET', '/auth/session', undefined, owner)).body.workspace_id;
    const call = { model_id: MODEL, text: TEXT, schema: ['city'] };
    inferenceId = (await api.call('POST', '/inference', call)).body.inference_id;
    await api.drained();
  });
  afterAll(() => api.close());

  const give = (email: string, role: string): Promise<Answer> =>
    api.call('PUT', '/workspace/members', { email, role }, owner);
  const sessionBy = async (link: string): Promise<Record<string, string>> => {
    const followed = await fetch(link, { redirect: 'manual' });
    const token = /anneal_session=([\w-]+)/.exec(followed.headers.get('set-cookie') ?? '')?.[1] ?? '';
    return { authorization: `Bearer ${token}` };
  };
  const invited = async (role: string): Promise<Person> => {
    const email = `person-${(count += 1)}@example.com`;
    const { body } = await give(email, role);
    return { email, headers: await sessionBy(body.sign_in_link as string) };
  };
  const statusOf = async (method: string, path: string, body: unknown, headers: Record<string, string>) =>
    (await api.call(method, path, body, headers)).status;

  const requests = {
    inference: ['POST', '/inference', { model_id: MODEL, text: TEXT, schema: ['city'], store: false }],
    history: ['GET', '/inferences/stats', undefined],
    content: ['GET', '/review', undefined],
    weights: ['GET', '/felix/training-jobs/none/download', undefined],
    audit: ['GET', '/audit/reads', undefined],
    write: ['POST', '/projects', { name: 'by role' }],
    manage: ['PUT', '/workspace', { analysts_see_content: true }],
    own: ['GET', '/list-api-keys', undefined],
  } as const;
  const allowedTo = async (headers: Record<string, string>): Promise<string[]> => {
    const allowed: string[] = [];
    for (const [permission, [method, path, body]] of Object.entries(requests)) {
      const answer = await api.call(method, path, body, headers);
      if (answer.status === 200 || answer.status === 404) allowed.push(permission);
      else {
        expect(answer.status).toBe(403);
        // No key manages people, whatever its scopes are.
        const isByKey = permission === 'manage' && 'x-api-key' in headers;
        expect(JSON.stringify(answer.body)).toContain(isByKey ? 'browser session' : `\`${permission}\``);
      }
    }
    return allowed;
  };

  it.each([
    ['owner', ['inference', 'history', 'content', 'weights', 'audit', 'write', 'manage', 'own']],
    ['developer', ['inference', 'history', 'content', 'weights', 'audit', 'write', 'own']],
    ['analyst', ['history', 'content', 'weights', 'own']],
    ['auditor', ['history', 'content', 'weights', 'audit', 'own']],
    ['runner', ['inference', 'own']],
  ])('as %s may do what the role permits, and are refused by the name of the permission', async (role, permitted) => {
    const { headers } = await invited(role);
    expect(await allowedTo(headers)).toEqual(permitted);
    const session = (await api.call('GET', '/auth/session', undefined, headers)).body;
    expect(session).toMatchObject({ role, workspace_id: workspaceId, permissions: permitted });
  });

  it("who are invited see their inviter's workspace, and have none of their own", async () => {
    const { email, headers } = await invited('auditor');
    const session = (await api.call('GET', '/auth/session', undefined, headers)).body;
    expect(session.workspaces).toEqual([{ id: workspaceId, owner_email: 'admin@localhost', role: 'auditor' }]);
    expect((await api.call('GET', `/inferences/${inferenceId}`, undefined, headers)).body).toMatchObject({
      input: expect.anything(),
    });
    const { members } = (await api.call('GET', '/workspace', undefined, headers)).body;
    expect(members).toContainEqual({ user_id: userIdOf(email), email, role: 'auditor', is_own: false });
    expect(members).toContainEqual(expect.objectContaining({ email: 'admin@localhost', role: 'owner', is_own: true }));
  });

  it("change role and leave by an owner's decision, with an event that names the owner", async () => {
    const { email, headers } = await invited('developer');
    const userId = userIdOf(email);
    expect((await give(email, 'analyst')).body).toMatchObject({ role: 'analyst', sign_in_link: null });
    expect(await statusOf(...requests.write, headers)).toBe(403);
    expect(await statusOf('DELETE', `/workspace/members/${userId}`, undefined, owner)).toBe(200);
    expect(await statusOf('GET', '/auth/session', undefined, headers)).toBe(401);
    expect(await statusOf('DELETE', `/workspace/members/${userId}`, undefined, owner)).toBe(404);
    const { team_id, user_id } = (await api.call('GET', '/auth/session', undefined, owner)).body;
    const { body } = await api.call('GET', `/events?stream=team-${team_id}&limit=1000`, undefined, owner);
    const about = (body.events as { type: string; actor: string; data: { userId?: string; role?: string } }[])
      .filter(({ data }) => data.userId === userId)
      .map(({ type, actor, data }) => [type, actor, data.role]);
    expect(about).toEqual([
      ['team-role-set.v1', `user:${user_id}`, 'developer'],
      ['team-role-set.v1', `user:${user_id}`, 'analyst'],
      ['team-role-removed.v1', `user:${user_id}`, undefined],
    ]);
  });

  it('with a workspace of their own work in either, and keys stay where they were made', async () => {
    const colleague = await api.colleague();
    const headers = { authorization: `Bearer ${colleague.session}` };
    const { email, workspace_id: own } = (await api.call('GET', '/auth/session', undefined, headers)).body;
    expect(await statusOf('POST', '/auth/workspace', { workspace_id: workspaceId }, headers)).toBe(404);
    await give(email as string, 'developer');
    expect(await statusOf('GET', `/inferences/${inferenceId}`, undefined, headers)).toBe(404);
    const moved = await api.call('POST', '/auth/workspace', { workspace_id: workspaceId }, headers);
    expect(moved.body).toMatchObject({ workspace_id: workspaceId, role: 'developer' });
    expect((moved.body.workspaces as { id: string }[]).map(({ id }) => id).sort()).toEqual([own, workspaceId].sort());
    expect(await statusOf('GET', `/inferences/${inferenceId}`, undefined, headers)).toBe(200);
    const key = (await api.call('POST', '/create-api-key', { name: 'shared' }, headers)).body.secret_key as string;
    await api.call('POST', '/auth/workspace', { workspace_id: own }, headers);
    const by = (each: string) => statusOf('GET', `/inferences/${inferenceId}`, undefined, { 'x-api-key': each });
    expect([await by(key), await by(colleague.key)]).toEqual([200, 404]);
    await api.call('DELETE', `/workspace/members/${userIdOf(email as string)}`, undefined, owner);
    expect([await by(key), await by(colleague.key)]).toEqual([401, 404]);
    await give(email as string, 'developer');
    expect(await by(key)).toBe(401);
  });

  it('make keys with no more permissions than their own', async () => {
    const { email, headers } = await invited('auditor');
    const make = (scopes?: string[]) => api.call('POST', '/create-api-key', { name: 'x', scopes }, headers);
    const refused = await make(['read', 'write']);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([403, expect.stringContaining('write')]);
    const keys = [await make(['history']), await make(['audit']), await make()];
    const allowed = [];
    for (const { body } of keys) allowed.push(await allowedTo({ 'x-api-key': body.secret_key as string }));
    expect(allowed.slice(0, 2)).toEqual([['history', 'own'], ['audit']]);
    expect(allowed[2]).toEqual(['history', 'content', 'weights', 'audit', 'own']);
    await give(email, 'runner');
    expect(await allowedTo({ 'x-api-key': keys[2]!.body.secret_key as string })).toEqual(['inference', 'own']);
    expect(await allowedTo({ 'x-api-key': keys[0]!.body.secret_key as string })).toEqual([]);
  });

  it('who are analysts see no content if the workspace says so, and cannot find it by search', async () => {
    const { headers } = await invited('analyst');
    const set = (analysts_see_content: boolean) => api.call('PUT', '/workspace', { analysts_see_content }, owner);
    const record = async () => (await api.call('GET', `/inferences/${inferenceId}`, undefined, headers)).body;
    expect(JSON.stringify(await record())).toContain(TEXT);
    expect((await set(false)).body).toMatchObject({ analysts_see_content: false });
    expect(await record()).toMatchObject({ id: inferenceId, input: null, output: null, content_withheld: true });
    const list = await api.call('GET', '/inferences', undefined, headers);
    expect(list.body.inferences.map(({ id }: { id: string }) => id)).toContain(inferenceId);
    expect(JSON.stringify(list.body)).not.toContain('London');
    for (const path of ['/inferences?text=London', '/inferences/stats?text=London', '/inferences/export', '/review'])
      expect([path, await statusOf('GET', path, undefined, headers)]).toEqual([path, 403]);
    expect(await statusOf('GET', '/inferences/stats', undefined, headers)).toBe(200);
    await set(true);
    expect(JSON.stringify(await record())).toContain(TEXT);
  });

  it('are given roles only by owners, in a browser session', async () => {
    const { headers } = await invited('developer');
    const body = { email: 'new@example.com', role: 'owner' };
    expect(await statusOf('PUT', '/workspace/members', body, headers)).toBe(403);
    expect(await statusOf('PUT', '/workspace/members', body, { 'x-api-key': api.key })).toBe(403);
    for (const [wrong, field] of [
      [{ ...body, email: 'x' }, 'email'],
      [{ ...body, role: 'king' }, 'role'],
    ] as const) {
      const answer = await api.call('PUT', '/workspace/members', wrong, owner);
      expect([answer.status, answer.body.errors[0].loc.at(-1)]).toEqual([422, field]);
    }
    const own = await give('admin@localhost', 'analyst');
    expect([own.status, JSON.stringify(own.body)]).toEqual([409, expect.stringContaining('own')]);
  });

  it('are given roles by the operator too, and only the operator can restore removed members', async () => {
    const email = 'grace@example.com';
    const [given] = await operate(api, 'team.role', { email, role: 'auditor' });
    expect(given).toMatchObject({ email, workspaceId, role: 'auditor', signInLink: expect.any(String) });
    await operate(api, 'team.remove-member', { email });
    expect((await give(email, 'owner')).status).toBe(409);
    expect(await operate(api, 'team.role', { email, role: 'analyst' })).toMatchObject([
      { role: 'analyst', signInLink: null },
    ]);
    expect(await operate(api, 'team.members')).toContainEqual({
      userId: userIdOf(email),
      email,
      workspaceId,
      role: 'analyst',
    });
    expect(await operate(api, 'team.role', { email, role: 'none' })).toMatchObject([{ role: null }]);
    expect(JSON.stringify(await operate(api, 'team.members'))).not.toContain(email);
  });
});
