import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userIdOf } from '#application/accounts/index.js';
import { onServers } from '#test/deployments/test-api.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { search } from '#test/privacy/search.js';
import { operate } from '#test/support/operate.js';

describe('erasure of a person', () => {
  let api: TestApi;
  let owner: Record<string, string>;
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    owner = { authorization: `Bearer ${api.session}` };
  });
  afterAll(() => api.close());

  const invite = async (email: string): Promise<string> =>
    (await api.call('PUT', '/workspace/members', { email, role: 'developer' }, owner)).body.sign_in_link as string;
  const sessionBy = async (link: string) => {
    const followed = await fetch(link, { redirect: 'manual' });
    return { cookie: followed.headers.get('set-cookie')!.split(';')[0]! };
  };
  const erase = (userId: string) => api.call('DELETE', `/workspace/members/${userId}?erase=true`, undefined, owner);

  it('ends their session, hides their address everywhere, and returns the same certificate each time', async () => {
    const email = 'clara@example.com';
    const userId = userIdOf(email);
    const session = await sessionBy(await invite(email));
    expect((await api.call('GET', '/auth/session', undefined, session)).body.email).toBe(email);
    const { status, body } = await erase(userId);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        success: true,
        certificate: {
          ...{ object: 'member_erasure_certificate', user_id: userId, keys: [{ id: expect.any(String) }], remains: [] },
          event: { type: 'user-erased.v1', stream: `user-${userId}` },
        },
      },
    });
    expect((await api.call('GET', '/projects', undefined, session)).status).toBe(401);
    const shown = [
      await api.call('GET', '/workspace', undefined, owner),
      await api.call('GET', `/events?stream=user-${userId}`, undefined, owner),
    ];
    expect(shown.map((each) => [each.status, JSON.stringify(each.body).includes(email)])).toEqual([
      [200, false],
      [200, false],
    ]);
    expect((await erase(userId)).body).toEqual(body);
  });

  it("is refused for someone outside the caller's workspaces, with a workspace of their own, or the first user", async () => {
    expect((await erase(crypto.randomUUID())).status).toBe(404);
    const [added] = await operate(api, 'team.add-member', { email: 'fanny@example.com' });
    await invite('fanny@example.com');
    const refused = await erase(added!['userId'] as string);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('erase-member')]);
    const first = operate(api, 'team.erase-member', { email: api.settings.adminEmail ?? 'admin@localhost' });
    await expect(first).rejects.toThrow(/ANNEAL_ADMIN_EMAIL/);
  });

  it('is done by the operator for anybody else; the erased return only if the operator adds them', async () => {
    const [erased] = await operate(api, 'team.erase-member', { email: 'fanny@example.com' });
    const userId = userIdOf('fanny@example.com');
    expect(erased).toMatchObject({ userId, keys: [{ id: expect.any(String) }], remains: [] });
    expect(await operate(api, 'team.erase-member', { email: userId })).toEqual([erased]);
    const again = await api.call('PUT', '/workspace/members', { email: 'fanny@example.com', role: 'analyst' }, owner);
    expect(again.status).toBe(409);
    expect(await operate(api, 'team.add-member', { email: 'fanny@example.com' })).toMatchObject([
      { userId, email: 'fanny@example.com' },
    ]);
  });

  it('hides an address that was stored unencrypted, and reports that the log keeps it', async () => {
    const email = 'robert@example.com';
    const userId = userIdOf(email);
    const teamId = (await api.call('GET', '/auth/session', undefined, owner)).body.team_id as string;
    const registeredAt = new Date().toISOString();
    await api.application.storedEvents.append(`user-${userId}`, { kind: 'no-stream' }, [
      {
        id: crypto.randomUUID(),
        type: 'user-registered.v1',
        data: { userId, email, teamId, workspaceId: crypto.randomUUID(), registeredAt },
        metadata: {
          ...{ workspaceId: null, actor: 'system:operator', correlationId: 'c', causationId: 'c', commandId: 'c' },
          occurredAt: registeredAt,
        },
      },
    ]);
    await invite(email);
    const { body } = await erase(userId);
    expect(body.certificate).toMatchObject({ keys: [], remains: [expect.stringContaining('unencrypted')] });
    expect((await api.call('GET', '/workspace', undefined, owner)).body.members).toHaveLength(1);
  });
});

(onServers() ? describe.skip : describe)('files after the erasure of a person', () => {
  const [canary, control] = ['quillonbarrow', 'thistlewickham'];
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'anneal-erase-member-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('contain the address nowhere, nor does an earlier backup; another address stays readable', async () => {
    const dataDir = join(folder, 'data');
    let api = await startTestApi({ dataDir });
    const [userId, other] = [canary, control].map((name) => userIdOf(`${name}@example.com`));
    for (const name of [canary, control]) {
      const invited = { email: `${name}@example.com`, role: 'developer' };
      const { body } = await api.call('PUT', '/workspace/members', invited, {
        authorization: `Bearer ${api.session}`,
      });
      const followed = await fetch(body.sign_in_link as string, { redirect: 'manual' });
      const session = { cookie: followed.headers.get('set-cookie')!.split(';')[0]!, origin: api.url };
      expect((await api.call('POST', '/auth/password', { new_password: 'a long password' }, session)).status).toBe(200);
      const wrong = { email: invited.email, password: 'not that' };
      expect((await api.call('POST', '/auth/sign-in', wrong, {})).status).toBe(401);
    }
    // The text is stored as it is: the search finds it.
    await api.call('POST', '/projects', { name: control });
    await api.drained();
    const addressOf = async (id: string | undefined) => {
      const { body } = await api.call('GET', '/workspace');
      const members = body.members as readonly { readonly user_id: string; readonly email: string | null }[];
      return members.find((member) => member.user_id === id)?.email;
    };
    expect(await addressOf(userId)).toBe(`${canary}@example.com`);
    await api.close();
    const backup = join(folder, 'backup');
    await cp(dataDir, backup, { recursive: true, filter: (path) => !/\/(read|keys)$/.test(path) });
    api = await startTestApi({ dataDir });
    await operate(api, 'team.erase-member', { email: `${canary}@example.com` });
    await api.drained();
    expect(await addressOf(userId)).toBeUndefined();
    expect(await addressOf(other)).toBe(`${control}@example.com`);
    const key = api.settings.bootstrapApiKey!;
    await api.close();
    const found = async (directory: string) =>
      new Set((await search(directory, [canary, control])).map(({ text }) => text));
    expect(await found(dataDir)).toEqual(new Set([control]));
    // The backup with the keys of today knows the one and not the other.
    await cp(join(dataDir, 'keys'), join(backup, 'keys'), { recursive: true });
    expect(await found(backup)).toEqual(new Set([control]));
    api = await startTestApi({ dataDir: backup, bootstrapApiKey: key });
    expect([await addressOf(userId), await addressOf(other)]).toEqual([null, `${control}@example.com`]);
    await api.close();
  });
});
