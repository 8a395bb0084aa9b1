import { userIdOf } from '#application/accounts/index.js';
import { nameOf, needsSession, routesOf, type ApiDocument, type Route } from '#test/fuzz/document.js';
import { startTestApi, type TestApi } from '#test/support/api.js';

/** Permissions of each role, written again by hand: the tables of the code are on trial here. */
const PERMITTED = {
  owner: ['inference', 'history', 'content', 'weights', 'audit', 'write', 'manage', 'own'],
  developer: ['inference', 'history', 'content', 'weights', 'audit', 'write', 'own'],
  analyst: ['history', 'content', 'weights', 'own'],
  auditor: ['history', 'content', 'weights', 'audit', 'own'],
  runner: ['inference', 'own'],
} as const;
const SCOPES = {
  inference: ['inference'],
  read: ['history', 'content', 'weights', 'audit'],
  write: ['write'],
  history: ['history'],
  audit: ['audit'],
  weights: ['weights'],
} as const;

/** Would end the session with which the other routes are tried. */
const ENDING = ['POST /auth/sign-out'];
const AT_ONCE = 6;

interface Credential {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly permitted: readonly string[];
  readonly byKey: boolean;
}

/** Every route of the OpenAPI document by everyone: with ids that nobody has, and bodies that say nothing. */
describe('a route that needs a permission', () => {
  let api: TestApi;
  let routes: readonly Route[];
  const credentials: Credential[] = [];
  const refusedKeys: Credential[] = [];
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    const { body } = await api.call('GET', '/openapi.json', undefined, {});
    routes = routesOf(body as ApiDocument).filter(({ operation }) => operation.security?.length !== 0);
    const owner = { authorization: `Bearer ${api.session}` };
    const keyBy = async (headers: Readonly<Record<string, string>>, more: object = {}) =>
      (await api.call('POST', '/create-api-key', { name: 'k', ...more }, headers)).body as {
        readonly id: string;
        readonly secret_key: string;
      };
    const headersOf = (key: { readonly secret_key: string }) => ({ 'x-api-key': key.secret_key });
    const invite = async (email: string, role: string) => {
      const { body: given } = await api.call('PUT', '/workspace/members', { email, role }, owner);
      const followed = await fetch(given.sign_in_link as string, { redirect: 'manual' });
      return { cookie: followed.headers.get('set-cookie')!.split(';')[0]!, origin: api.url };
    };
    for (const [role, permitted] of Object.entries(PERMITTED)) {
      const headers = role === 'owner' ? owner : await invite(`${role}@example.com`, role);
      credentials.push({ name: `session of ${role}`, headers, permitted, byKey: false });
      const key = headersOf(await keyBy(headers));
      credentials.push({ name: `key of ${role}`, headers: key, permitted, byKey: true });
    }
    for (const [scope, permitted] of Object.entries(SCOPES)) {
      const key = headersOf(await keyBy(owner, { scopes: [scope] }));
      credentials.push({ name: `key with scope ${scope}`, headers: key, permitted, byKey: true });
    }
    const revoked = await keyBy(owner);
    await api.call('DELETE', '/delete-api-key', { key_id: revoked.id }, owner);
    const gone = await invite('gone@example.com', 'developer');
    const theirs = await keyBy(gone);
    await api.call('DELETE', `/workspace/members/${userIdOf('gone@example.com')}`, undefined, owner);
    for (const [name, headers] of [
      ['a revoked key', headersOf(revoked)],
      ['a key of who left', headersOf(theirs)],
      ['a session of who left', gone],
      ['nobody', {}],
    ] as const)
      refusedKeys.push({ name, headers, permitted: [], byKey: 'x-api-key' in headers });
  });
  afterAll(() => api.close());

  async function ask(method: string, { path, operation }: Route, headers: Readonly<Record<string, string>>) {
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      ['n', 'version'].includes(name) ? '1' : '00000000-0000-4000-8000-000000000000',
    );
    const withBody = operation.requestBody !== undefined && !['GET', 'HEAD'].includes(method);
    const response = await fetch(api.url + url, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(withBody && { 'content-type': 'application/json' }) },
      ...(withBody && { body: '{}' }),
    });
    if (response.status < 400) {
      await response.body?.cancel();
      return { status: response.status, text: '' };
    }
    return { status: response.status, text: await response.text() };
  }
  const needsOf = ({ operation }: Route) => (operation as { readonly 'x-needs'?: readonly string[] })['x-needs']!;
  const methodsOf = (route: Route) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]);

  /** @returns routes that answered otherwise than they should */
  async function otherwise(
    { headers }: Credential,
    asked: readonly Route[],
    isRight: (answer: { readonly status: number; readonly text: string }, method: string) => boolean,
  ): Promise<readonly string[]> {
    const left = asked.flatMap((route) => methodsOf(route).map((method) => ({ route, method })));
    const wrong: string[] = [];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = left.pop(); next; next = left.pop()) {
          const answer = await ask(next.method, next.route, headers);
          if (!isRight(answer, next.method))
            wrong.push(`${next.method} ${next.route.path}: ${answer.status} ${answer.text}`);
        }
      }),
    );
    return wrong.sort();
  }

  it('refuses by name every caller who lacks it, whatever other permissions they have', async () => {
    expect(routes.length).toBeGreaterThan(130);
    for (const credential of credentials) {
      const { name, permitted, byKey } = credential;
      const lacking = routes.filter((route) => !needsOf(route).some((need) => permitted.includes(need)));
      const wrong = await otherwise(
        credential,
        lacking,
        ({ status, text }, method) =>
          status === 403 &&
          (method === 'HEAD' || /needs the permission/.test(text) || (byKey && /browser session/.test(text))),
      );
      expect({ name, wrong }).toEqual({ name, wrong: [] });
    }
  });

  it('accepts every caller who has it, except keys where a browser session is needed', async () => {
    for (const credential of credentials) {
      const { name, permitted, byKey } = credential;
      const having = routes.filter(
        (route) => needsOf(route).some((need) => permitted.includes(need)) && !ENDING.includes(nameOf(route)),
      );
      const [session, others] = [having.filter(needsSession), having.filter((route) => !needsSession(route))];
      const isLetIn = ({ status, text }: { readonly status: number; readonly text: string }) =>
        status !== 401 && status < 500 && !/needs the permission|browser session/.test(text);
      const wrong = [
        ...(await otherwise(credential, others, isLetIn)),
        ...(await otherwise(credential, session, (answer) => (byKey ? answer.status === 403 : isLetIn(answer)))),
      ];
      expect({ name, wrong }).toEqual({ name, wrong: [] });
    }
  });

  it('refuses requests without credentials, with a revoked key, and from former members', async () => {
    for (const credential of refusedKeys) {
      const wrong = await otherwise(
        credential,
        routes,
        ({ status }) => status === 401 || (credential.byKey && status === 403),
      );
      expect({ name: credential.name, wrong }).toEqual({ name: credential.name, wrong: [] });
    }
  });
});
