import { countAttempt, createSignInToken, SIGN_IN_BOUNDS, userIdOf } from '#application/accounts/index.js';
import { startTestApi, type Answer, type TestApi } from '#test/support/api.js';
import { operate } from '#test/support/operate.js';
import { openRawClient } from '#test/support/raw-client.js';
import { openSecretKey } from '#test/support/open-secret-key.js';

const admin = { email: 'ada@example.com', password: 'correct horse battery' };

let api: TestApi;
beforeAll(async () => {
  const settings = { adminEmail: admin.email, adminPassword: admin.password, trustedProxies: 'loopback' };
  api = await startTestApi(settings);
});
afterAll(() => api.close());

describe('signing in', () => {
  const signIn = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    api.call('POST', '/auth/sign-in', body, headers);
  const cookieOf = (answer: Answer): string => (answer.headers.get('set-cookie') ?? '').split(';')[0] as string;

  it('sets a cookie that scripts cannot read and returns a token', async () => {
    const answer = await signIn(admin);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body as object)).toEqual(['session_token', 'expires_at']);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^anneal_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Expires=/,
    );
    const byCookie = await api.call('GET', '/auth/session', undefined, { cookie: cookieOf(answer) });
    expect(byCookie.body).toMatchObject({ email: admin.email, expires_at: answer.body.expires_at });
    const byToken = await api.call('GET', '/projects', undefined, {
      authorization: `Bearer ${answer.body.session_token}`,
    });
    expect(byToken.status).toBe(200);
  });

  it('the e-mail address is not case-sensitive', async () => {
    expect((await signIn({ ...admin, email: 'ADA@Example.com' })).status).toBe(200);
  });

  it('a wrong password and an unknown address get the same answer', async () => {
    const wrong = await signIn({ ...admin, password: 'wrong' });
    const unknown = await signIn({ ...admin, email: 'nobody@example.com' });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.body).toEqual(unknown.body);
  });

  it('signing out ends the session at once', async () => {
    const cookie = cookieOf(await signIn(admin));
    const from = { cookie, origin: api.url };
    expect((await api.call('GET', '/projects', undefined, { cookie })).status).toBe(200);
    expect((await api.call('POST', '/auth/sign-out', undefined, from)).status).toBe(200);
    expect((await api.call('GET', '/projects', undefined, { cookie })).status).toBe(401);
    expect((await api.call('POST', '/auth/sign-out', undefined, from)).status).toBe(401);
  });

  it.each([[{}], [{ email: 5, password: 'x' }], [{ email: 'a@b' }], [{ ...admin, password: 'x'.repeat(201) }]])(
    '%j is 422',
    async (body) => {
      expect((await signIn(body)).status).toBe(422);
    },
  );

  describe('a change authorised by cookie', () => {
    let cookie: string;
    beforeAll(async () => {
      cookie = cookieOf(await signIn(admin));
    });

    it.each([
      ['no sign of its origin', {}, 403],
      ['another site', { origin: 'https://evil.example' }, 403],
      ['an opaque origin', { origin: 'null' }, 403],
      ['a sister site', { 'sec-fetch-site': 'same-site' }, 403],
      ['another site by Sec-Fetch-Site, despite its Origin', { 'sec-fetch-site': 'cross-site' }, 403],
      ['this site by Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }, 200],
    ])('is refused from %s', async (_, headers, status) => {
      const answer = await api.call('POST', '/projects', { name: 'x' }, { cookie, ...headers });
      expect(answer.status).toBe(status);
    });

    it('passes if its Origin header names this site', async () => {
      const answer = await api.call('POST', '/projects', { name: 'x' }, { cookie, origin: api.url });
      expect(answer.status).toBe(200);
    });

    it('reading needs no Origin', async () => {
      expect((await api.call('GET', '/projects', undefined, { cookie })).status).toBe(200);
    });
  });

  it("a sign-in sent by another site's page is refused", async () => {
    expect((await signIn(admin, { origin: 'https://evil.example' })).status).toBe(403);
  });

  it('a one-time link signs a browser in once', async () => {
    const secret = openSecretKey(api.settings.dataDir, null);
    const token = await createSignInToken(api.application.ports.coordination, secret, userIdOf(admin.email));
    const follow = () => api.call('GET', `/sign-in?token=${token}`, undefined, {});
    expect((await api.call('HEAD', `/sign-in?token=${token}`, undefined, {})).status).toBe(302);
    const [first, second] = await Promise.all([follow(), follow()]);
    expect([first.status, second.status].sort()).toEqual([303, 401]);
    const worked = first.status === 303 ? first : second;
    expect(worked.headers.get('location')).toBe('/console/');
    const session = await api.call('GET', '/auth/session', undefined, { cookie: cookieOf(worked) });
    expect(session.body.email).toBe(admin.email);
    expect((await follow()).status).toBe(401);
  });

  it('an invalid link gets a page without a key that runs no script', async () => {
    const page = await api.call('GET', '/sign-in?token=x', undefined, {});
    expect(page.status).toBe(401);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it.each([
    ['/', '/console/'],
    ['/keys', '/console/keys'],
  ])('%s leads to the console', async (path, to) => {
    expect((await api.call('GET', path, undefined, {})).headers.get('location')).toBe(to);
  });

  it('a sign-in link ends with the membership, even if the member is added again', async () => {
    const email = 'grace@example.com';
    const [added] = await operate(api, 'team.add-member', { email });
    await operate(api, 'team.remove-member', { email });
    const [again] = await operate(api, 'team.add-member', { email });
    const follow = (link: unknown) => fetch(String(link), { redirect: 'manual' });
    expect((await follow(added?.['signInLink'])).status).toBe(401);
    expect((await follow(again?.['signInLink'])).status).toBe(303);
  });
});

describe('wrong passwords', () => {
  const signIn = (from: string, body: unknown): Promise<Answer> =>
    api.call('POST', '/auth/sign-in', body, { 'x-forwarded-for': from });

  it("from one network do not lock the account's owner out of another", async () => {
    for (let n = 0; n < 10; n += 1)
      expect((await signIn('203.0.113.1', { ...admin, password: `guess ${n}` })).status).toBe(401);
    const refused = await signIn('203.0.113.1', admin);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await signIn('203.0.113.2', admin)).status).toBe(200);
  });

  it('are checked a few at a time, and networks take turns', async () => {
    const guesses = Array.from({ length: 30 }, (_, n) =>
      signIn('203.0.113.3', { email: `user-${n}@example.com`, password: 'guess' }),
    );
    const owner = signIn('203.0.113.4', admin);
    expect((await owner).status).toBe(200);
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 503]));
  });

  it('are refused before the body is read once their network has used up its attempts', async () => {
    const from = '203.0.113.5';
    const { coordination } = api.application.ports;
    const secret = openSecretKey(api.settings.dataDir, null);
    for (let n = 0; n < SIGN_IN_BOUNDS.network; n += 1) {
      const email = `user-${n}@example.com`;
      await countAttempt(coordination, secret, { userId: userIdOf(email), network: from });
    }
    expect((await signIn(from, admin)).status).toBe(429);
    const client = await openRawClient(api.url);
    client.socket.write(
      `POST /auth/sign-in HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\nContent-Length: 1000\r\n\r\n`,
    );
    expect(await client.until(/}$/)).toMatch(/^HTTP\/1\.1 429 /);
    client.socket.destroy();
  });
});
