import { eventually } from '#test/support/eventually.js';
import { freePort } from '#primitives/free-port.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { OidcProvider } from './provider.js';
import { startOidcProvider, type Person, type TestProvider } from '#test/support/oidc-provider.js';

const ADA = 'ada@example.com';
const grace = { email: 'grace@example.com', email_verified: true };

describe('signing in with an OpenID provider', () => {
  let provider: TestProvider;
  let api: TestApi;
  let owner: Record<string, string>;
  beforeAll(async () => {
    // A provider must know the address before the API listens.
    const publicUrl = `http://127.0.0.1:${await freePort()}`;
    provider = await startOidcProvider(`${publicUrl}/auth/oidc/callback`);
    api = await startTestApi({
      adminEmail: ADA,
      ...{ publicUrl, port: Number(new URL(publicUrl).port), rateLimits: false },
      ...{ oidcIssuer: provider.issuer, oidcClientId: provider.client.id, oidcClientSecret: provider.client.secret },
      oidcRoles: [{ claim: 'groups', value: 'audit', role: 'auditor' }],
    });
    owner = { authorization: `Bearer ${api.session}` };
  });
  afterAll(async () => {
    await api.close();
    await provider.close();
  });

  /** Follows every redirect as a browser would, up to the console or to an answer that is none. */
  async function browse(start: string): Promise<{ readonly answer: Response; readonly cookies: Map<string, string> }> {
    const cookies = new Map<string, string>();
    let url = new URL(start);
    for (let step = 0; step < 12; step += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const each of answer.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!;
        cookies.set(name!, value!);
      }
      const to = answer.headers.get('location');
      if (to === null) return { answer, cookies };
      url = new URL(to, url);
      if (url.pathname.startsWith('/console/')) return { answer, cookies };
    }
    throw new Error('too many redirects');
  }
  const signIn = (person: Person, to = '') => {
    provider.signs(person);
    return browse(`${api.url}/auth/oidc/start${to}`);
  };
  const sessionOf = async (cookies: Map<string, string>) =>
    (await api.call('GET', '/auth/session', undefined, { cookie: `anneal_session=${cookies.get('anneal_session')}` }))
      .body;

  it('is listed among the sign-in methods', async () => {
    expect((await api.call('GET', '/auth/methods', undefined, {})).body).toEqual({ password: true, oidc: true });
  });

  it('admits an invited person by the verified address, and redirects to the requested page', async () => {
    await api.call('PUT', '/workspace/members', { email: grace.email, role: 'developer' }, owner);
    const { answer, cookies } = await signIn(grace, '?to=/console/keys');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console/keys']);
    expect(await sessionOf(cookies)).toMatchObject({ email: grace.email, role: 'developer' });
  });

  it('refuses an unverified address, and people without an invitation', async () => {
    for (const person of [
      { ...grace, email_verified: false },
      { email: grace.email },
      { email: 'eve@example.com', email_verified: true },
      ...['', 'notanaddress', 'eve@example.com\nbcc: ada@example.com', `${'e'.repeat(5000)}@example.com`].map(
        (email) => ({
          ...{ email, email_verified: true, groups: ['audit'] },
        }),
      ),
    ]) {
      const { answer, cookies } = await signIn(person);
      expect([answer.status, cookies.has('anneal_session')]).toEqual([403, false]);
    }
    const refused = async () => {
      const { body } = await api.call('GET', '/events/log?type=sign-in-refused.v1&limit=1000');
      return (body.events as readonly { readonly data: { readonly method: string; readonly why: string } }[]).map(
        ({ data }) => `${data.method} ${data.why}`,
      );
    };
    await signIn({ email: ADA, email_verified: false });
    await eventually(async () => (await refused()).includes('provider unverified-address'));
  });

  it('gives the role that a claim names', async () => {
    const person = { email: 'heidi@example.com', email_verified: true };
    expect((await signIn({ ...person, groups: ['other'] })).answer.status).toBe(403);
    const { cookies } = await signIn({ ...person, groups: ['other', 'audit'] });
    expect(await sessionOf(cookies)).toMatchObject({ email: person.email, role: 'auditor' });
  });

  it('refuses an address that only looks like an invited one', async () => {
    await api.call('PUT', '/workspace/members', { email: 'kim@example.com', role: 'developer' }, owner);
    const kelvin = '\u212Aim@example.com';
    expect(kelvin.toLowerCase()).toBe('kim@example.com');
    expect((await signIn({ email: kelvin, email_verified: true })).answer.status).toBe(403);
    expect((await signIn({ email: 'Kim@example.com', email_verified: true })).answer.status).toBe(303);
  });

  /** A sign-in up to the address with which the provider sends the browser back. */
  async function returned(): Promise<{ readonly url: URL; readonly cookie: string }> {
    const started = await fetch(`${api.url}/auth/oidc/start`, { redirect: 'manual' });
    const cookie = started.headers.get('set-cookie')!.split(';')[0]!;
    return { url: await throughProvider(new URL(started.headers.get('location')!)), cookie };
  }

  /** The address to which the provider sends a browser that comes to it. */
  async function throughProvider(start: URL): Promise<URL> {
    const jar = new Map<string, string>();
    let url = start;
    while (url.origin !== api.url) {
      const headers = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') };
      const answer = await fetch(url, { redirect: 'manual', headers });
      for (const each of answer.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!;
        jar.set(name!, value!);
      }
      url = new URL(answer.headers.get('location')!, url);
    }
    return url;
  }

  it("accepts a provider's answer once, from the expected issuer, and for its own sign-in only", async () => {
    provider.signs(grace);
    const back = async (url: URL, cookie: string) =>
      (await fetch(url, { redirect: 'manual', headers: { cookie } })).status;
    const changed = (url: URL, name: string, value: string) => {
      const other = new URL(url);
      other.searchParams.set(name, value);
      return other;
    };
    const [first, second] = [await returned(), await returned()];
    // The code of one browser, brought back by another one.
    const injected = changed(second.url, 'code', first.url.searchParams.get('code')!);
    expect(await back(injected, second.cookie)).toBe(401);
    const another = changed(second.url, 'iss', 'https://evil.example');
    expect(await back(another, second.cookie)).toBe(401);
    expect(await back(first.url, second.cookie)).toBe(401);
    const third = await returned();
    expect([await back(third.url, third.cookie), await back(third.url, third.cookie)]).toEqual([303, 401]);
  });

  it('takes no token that another key signed', async () => {
    provider.signs(grace);
    const { id: oidcClientId, secret: oidcClientSecret } = provider.client;
    const side = new OidcProvider({ oidcIssuer: provider.issuer, oidcClientId, oidcClientSecret });
    const { url, begun } = await side.begin(`${api.url}/auth/oidc/callback`);
    await provider.publishesAnotherKey();
    await expect(side.finish(await throughProvider(url), begun)).rejects.toHaveProperty(
      'cause.message',
      'JWT signature verification failed',
    );
  });

  it('redirects to no other site, and completes only in the browser that started it', async () => {
    const { answer } = await signIn(grace, `?to=${encodeURIComponent('https://evil.example/console/')}`);
    expect(answer.headers.get('location')).toBe('/console/');
    const started = await fetch(`${api.url}/auth/oidc/start`, { redirect: 'manual' });
    const state = new URL(started.headers.get('location')!).searchParams.get('state');
    const cookie = started.headers.get('set-cookie')!.split(';')[0]!;
    const callback = (query: string, headers: Record<string, string>) =>
      fetch(`${api.url}/auth/oidc/callback?${query}`, { redirect: 'manual', headers });
    expect((await callback(`code=x&state=${state}`, {})).status).toBe(401);
    expect((await callback('code=x&state=another', { cookie })).status).toBe(401);
    expect((await callback(`code=forged&state=${state}`, { cookie })).status).toBe(401);
  });
});

it('is not offered without the setting', async () => {
  const api = await startTestApi();
  expect((await api.call('GET', '/auth/oidc/start')).status).toBe(404);
  expect((await api.call('GET', '/auth/methods', undefined, {})).body).toMatchObject({ oidc: false });
  await api.close();
});
