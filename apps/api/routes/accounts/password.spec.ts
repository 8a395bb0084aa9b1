import { randomUUID } from 'node:crypto';
import { createSignInToken, userIdOf } from '#application/accounts/index.js';
import { startTestApi, type Answer, type TestApi } from '#test/support/api.js';
import { operate } from '#test/support/operate.js';
import { openSecretKey } from '#test/support/open-secret-key.js';

const first = 'correct horse battery';

describe('the password', () => {
  let api: TestApi;
  let email: string;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    email = `${randomUUID()}@example.com`;
    const [added] = await operate(api, 'team.add-member', { email });
    const session = await sessionBy(added?.['signInLink']);
    expect((await set(session, { new_password: first })).status).toBe(200);
  });

  const signIn = (password: string): Promise<Answer> => api.call('POST', '/auth/sign-in', { email, password }, {});
  const token = async (password: string): Promise<string> => (await signIn(password)).body.session_token as string;
  const set = (session: string, body: unknown): Promise<Answer> =>
    api.call('POST', '/auth/password', body, { authorization: `Bearer ${session}` });
  const who = (session: string): Promise<Answer> =>
    api.call('GET', '/auth/session', undefined, { authorization: `Bearer ${session}` });
  const sessionBy = async (link: unknown): Promise<string> => {
    const followed = await fetch(String(link), { redirect: 'manual' });
    expect(followed.status).toBe(303);
    return /anneal_session=([\w-]+)/.exec(followed.headers.get('set-cookie') ?? '')?.[1] ?? '';
  };
  const events = async () =>
    (await Array.fromAsync(api.application.ports.eventStore.readStream(`user-${userIdOf(email)}`))).map(
      ({ type, metadata }) => [type, metadata.actor],
    );

  it('can be changed with the current password; the change ends all other sessions and sign-in links of the user', async () => {
    const [mine, other] = [await token(first), await token(first)];
    const secret = openSecretKey(api.settings.dataDir, null);
    const link = await createSignInToken(api.application.ports.coordination, secret, userIdOf(email));
    const answer = await set(mine, { current_password: first, new_password: 'another horse' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toMatch(/^anneal_session=[\w-]{43};/);
    expect((await who(answer.body.session_token as string)).body).toMatchObject({ email, has_password: true });
    expect([(await who(mine)).status, (await who(other)).status]).toEqual([401, 401]);
    expect((await api.call('GET', `/sign-in?token=${link}`, undefined, {})).status).toBe(401);
    expect([(await signIn(first)).status, (await signIn('another horse')).status]).toEqual([401, 200]);
    expect(JSON.stringify(await events())).not.toContain('horse');
    expect((await events()).at(-1)).toEqual(['user-password-set.v1', `user:${userIdOf(email)}`]);
  });

  it('stays unchanged when the current one is missing or wrong, and wrong guesses count against a limit', async () => {
    const mine = await token(first);
    for (const [current_password, type] of [
      [undefined, 'missing'],
      [null, 'missing'],
      ['wrong', 'not_allowed'],
    ] as const)
      expect((await set(mine, { current_password, new_password: 'another horse' })).body).toMatchObject({
        errors: [{ loc: ['body', 'current_password'], type }],
      });
    for (let guess = 0; guess < 9; guess += 1)
      await set(mine, { current_password: 'wrong', new_password: 'x'.repeat(10) });
    expect((await set(mine, { current_password: first, new_password: 'another horse' })).status).toBe(429);
    expect((await who(mine)).status).toBe(200);
  });

  it.each([[{}], [{ new_password: 'short' }], [{ new_password: 'x'.repeat(201) }], [{ new_password: 5 }]])(
    'set to %j is 422 and names the field',
    async (body) => {
      const answer = await set(await token(first), { current_password: first, ...body });
      expect([answer.status, answer.body.errors[0].loc]).toEqual([422, ['body', 'new_password']]);
    },
  );

  it('cannot be set with an API key', async () => {
    expect((await api.call('POST', '/auth/password', { new_password: 'another horse' })).status).toBe(403);
  });

  it('reset by an operator ends all sessions; the printed link signs in and lets the user set a new one', async () => {
    const mine = await token(first);
    const [reset] = await operate(api, 'password.reset', { email });
    expect((await who(mine)).status).toBe(401);
    expect((await signIn(first)).status).toBe(401);
    const session = await sessionBy(reset?.['signInLink']);
    expect((await who(session)).body).toMatchObject({ has_password: false });
    expect((await set(session, { new_password: 'another horse' })).status).toBe(200);
    expect((await signIn('another horse')).status).toBe(200);
    expect((await events()).slice(-2)).toEqual([
      ['user-password-reset.v1', 'system:operator'],
      ['user-password-set.v1', `user:${userIdOf(email)}`],
    ]);
  });
});
