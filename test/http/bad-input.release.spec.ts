import { dialectOf } from '#apps/api/edge/errors/envelope.js';
import { needsSession, ownRoutesOf, type ApiDocument } from '#test/fuzz/document.js';
import { startTestApi, type Answer, type TestApi } from '#test/support/api.js';

/**
 * Every route of the OpenAPI document is tried with what clients get wrong. None may answer with a server's error, and each
 * error has its status and shape.
 */

interface Schema {
  readonly $ref?: string;
  /** Several: the first is not null. */
  readonly type?: string | readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly schema?: { readonly type?: string; readonly enum?: readonly string[]; readonly format?: string };
}
interface Operation {
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const REQUIRED = {
  model: 'm',
  max_tokens: 5,
  messages: [{ role: 'user', content: 'x' }],
  prompt: 'x',
  input: 'x',
  training_file: 'file-x',
  input_file_id: 'file-x',
  endpoint: '/v1/embeddings',
  completion_window: '24h',
};
/** Ids of users are texts, whatever they are: some databases have numbers, some clients objects. */
const TAKEN_AS_TEXTS = ['user', 'safety_identifier'];
const UNKNOWN_ID = '0190f3c4-0000-7000-8000-000000000000';

describe('bad input', () => {
  let api: TestApi;
  let routes: readonly Route[];
  let schemas: Readonly<Record<string, Schema>>;
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    const { body } = await api.call('GET', '/openapi.json', undefined, {});
    schemas = body.components.schemas;
    routes = ownRoutesOf(body as ApiDocument) as readonly Route[];
    expect(routes.length).toBeGreaterThan(15);
  });
  afterAll(() => api.close());

  const addressOf = ({ path }: Route, id = UNKNOWN_ID) =>
    path.replace('{version}', 'latest').replaceAll(/\{[^}]+\}/g, id);
  const needsKey = ({ operation }: Route) => operation.security?.length !== 0;
  const headersOf = (route: Route): Record<string, string> =>
    needsSession(route) ? { authorization: `Bearer ${api.session}` } : { 'x-api-key': api.key };
  const send = (route: Route, body?: unknown, address = addressOf(route), headers = {}): Promise<Answer> =>
    api.call(route.method, address, body, { ...headersOf(route), ...headers });
  const resolve = (schema: Schema): Schema =>
    schema.$ref ? resolve(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
  const bodyOf = ({ operation }: Route): Schema | null => {
    const schema = operation.requestBody?.content['application/json']?.schema;
    return schema ? resolve(schema) : null;
  };
  const isNative = ({ path }: Route) => !path.startsWith('/v1/');
  const withBody = () => routes.filter((route) => bodyOf(route) !== null);

  /** Collects what is wrong, so that one run shows all. */
  function expectAll(problems: readonly string[]): void {
    expect(problems).toEqual([]);
  }
  const label = ({ method, path }: Route, what: string, { status, body }: Answer) =>
    `${method} ${path} ${what}: ${status} ${JSON.stringify(body).slice(0, 160)}`;
  /** The error shape of the route: compatible routes have that of their API. */
  const hasShape = ({ path }: Route, { status, body }: Answer): boolean => {
    if (body === null || typeof body !== 'object') return false;
    const isError = typeof body.error?.type === 'string' && typeof body.error.message === 'string';
    switch (dialectOf(path, false)) {
      case 'openai':
        return isError && 'param' in body.error;
      case 'anthropic+detail':
        return isError && body.type === 'error' && 'detail' in body;
      case 'openai+detail':
        return isError && 'detail' in body;
      default:
        return 'detail' in body && (status !== 422 || (Array.isArray(body.errors) && body.errors.length > 0));
    }
  };
  /** Whether an error names one of the fields: in `errors`, as `param`, or at the start of its message. */
  const names = ({ body }: Answer, fields: readonly string[]): boolean => {
    const told = ((body.errors ?? []) as { loc: string[] }[]).map(({ loc }) => loc[1]);
    const said = [body.error?.param, /^[\w.]+(?=:)/.exec(body.error?.message ?? '')?.[0]];
    return [...told, ...said.map((path: string | null | undefined) => path?.split('.')[0])].some(
      (name) => name !== undefined && fields.includes(name),
    );
  };

  async function problemsOf(
    tried: readonly Route[],
    what: (route: Route) => readonly (readonly [string, () => Promise<Answer>])[],
    expected: readonly number[],
  ): Promise<string[]> {
    const problems: string[] = [];
    for (const route of tried)
      for (const [name, attempt] of what(route)) {
        const answer = await attempt();
        if (!expected.includes(answer.status) || (answer.status >= 400 && !hasShape(route, answer)))
          problems.push(label(route, name, answer));
      }
    return problems;
  }

  it('is 401 without a key on every route that needs one', async () => {
    const tried = routes.filter(needsKey);
    const attempt = (route: Route) =>
      [['without key', () => api.call(route.method, addressOf(route), undefined, {})]] as const;
    expectAll(await problemsOf(tried, attempt, [401]));
  });

  it('is 400 for malformed JSON and other media types', async () => {
    const attempts = (route: Route) =>
      [
        ['half a body', () => send(route, '{"a":')],
        ['a form', () => send(route, 'a=1', addressOf(route), { 'content-type': 'application/x-www-form-urlencoded' })],
      ] as const;
    expectAll(await problemsOf(withBody(), attempts, [400]));
  });

  it('is 422 for a body that is not an object', async () => {
    const attempts = (route: Route) =>
      ['null', '[]', '"text"', '5', 'true', ''].map((body) => [`body ${body}`, () => send(route, body)] as const);
    expectAll(await problemsOf(withBody(), attempts, [422]));
  });

  /** The fields that a decoder checks before it looks at another one. */
  const required = (route: Route): object => {
    if (dialectOf(route.path, false) === 'native') return {};
    // An input may be left out of a response that goes on with another.
    const needed = route.path === '/v1/responses' ? ['model', 'input'] : (bodyOf(route)?.required ?? []);
    return Object.fromEntries(Object.entries(REQUIRED).filter(([name]) => needed.includes(name)));
  };

  it('is 422 for a body without its required fields, naming one', async () => {
    const tried = withBody().filter((route) => (bodyOf(route)?.required ?? []).length > 0);
    const problems: string[] = [];
    for (const route of tried) {
      const answer = await send(route, {});
      if (answer.status !== 422 || !names(answer, bodyOf(route)?.required ?? []))
        problems.push(label(route, 'with an empty object', answer));
    }
    expectAll(problems);
  });

  it('is 422 for a field of a wrong type, naming it', async () => {
    const problems: string[] = [];
    for (const route of withBody())
      for (const [name, schema] of Object.entries(bodyOf(route)?.properties ?? {})) {
        const [type = ''] = [resolve(schema).type ?? []].flat();
        const wrong = { string: { a: 1 }, integer: 'many', number: 'many', boolean: 'perhaps', array: 7 }[type];
        if (wrong === undefined || (!isNative(route) && TAKEN_AS_TEXTS.includes(name))) continue;
        // The first field that is wrong is the one that is told, where only one can be.
        const answer = await send(route, { ...required(route), [name]: wrong });
        if (answer.status !== 422 || !names(answer, [name]))
          problems.push(label(route, `with a wrong ${name}`, answer));
      }
    expectAll(problems);
  });

  /** Each line of JSON lines is refused by itself, in an answer of its own. */
  const takesLines = ({ operation }: Route) => 'application/x-ndjson' in (operation.requestBody?.content ?? {});

  it('with an unknown field has it named on every native route: ignored, or refused', async () => {
    const problems: string[] = [];
    for (const route of routes.filter((one) => isNative(one) && one.method !== 'GET' && !takesLines(one))) {
      const fields = Object.keys(bodyOf(route)?.properties ?? {});
      expect(fields).not.toContain('surprise');
      const answer = await send(route, { surprise: 1 });
      const isRefused = answer.status === 422 && names(answer, ['surprise']);
      if (!isRefused && answer.headers.get('anneal-ignored') !== 'surprise')
        problems.push(label(route, 'with a surprise', answer));
    }
    expectAll(problems);
  });

  it('is 422 for an unknown query parameter, naming it, on every native route', async () => {
    const problems: string[] = [];
    // Probes add parameters of their own.
    const asked = routes.filter((route) => isNative(route) && !route.path.startsWith('/health'));
    for (const route of asked) {
      const answer = await send(route, undefined, `${addressOf(route)}?surprise=1&__proto__=2`);
      const named = ((answer.body.errors ?? []) as { loc: string[] }[]).map(({ loc }) => loc.join('.'));
      if (answer.status !== 422 || !named.includes('query.surprise'))
        problems.push(label(route, 'with ?surprise=1', answer));
    }
    expectAll(problems);
  });

  it('does not include parameters that SDKs add on compatible routes, which are ignored', async () => {
    for (const route of routes.filter((one) => !isNative(one))) {
      const plain = await send(route, route.method === 'GET' ? undefined : {}).then(({ status }) => status);
      expect([
        route.path,
        (await send(route, route.method === 'GET' ? undefined : {}, `${addressOf(route)}?beta=true`)).status,
      ]).toEqual([route.path, plain]);
    }
  });

  it('is 400 for query values of the wrong type or outside an enumeration', async () => {
    const attempts = (route: Route) =>
      (route.operation.parameters ?? []).flatMap(({ name, in: where, schema }) => {
        if (where !== 'query') return [];
        const { type, enum: values, format } = schema ?? {};
        const typed = type === 'integer' || type === 'number' || type === 'boolean' || format === 'date-time';
        if (!typed && !values) return [];
        return [[`?${name}=!wrong`, () => send(route, undefined, `${addressOf(route)}?${name}=!wrong`)] as const];
      });
    // Looking for the thing itself may come first only where there is none: 404 is said last.
    expectAll(await problemsOf(routes, attempts, [400]));
  });

  /** A body that is whole, so that the path is looked at. */
  const wholeBody = (route: Route) =>
    bodyOf(route) === null ? undefined : route.path === '/felix/datasets/{name}/{version}' ? { purpose: 'x' } : {};

  it('is 404 for a path segment that names nothing, in any form', async () => {
    // Missing fields of a body are also reported first.
    const tried = routes.filter(({ path, method }) => path.includes('{') && !['POST', 'PUT'].includes(method));
    const ids = [
      UNKNOWN_ID,
      '0',
      '-1',
      'null',
      "'; DROP TABLE events; --",
      '..%2F..%2Fetc%2Fpasswd',
      '%00',
      '%zz',
      '💥',
    ];
    // Missing parameters of a query are reported first: 422 comes before 404.
    const queryOf = ({ path }: Route) =>
      path.endsWith('/comparison') ? `?with=${UNKNOWN_ID}` : path.startsWith('/account/holds') ? '?reason=over' : '';
    const attempts = (route: Route) =>
      [...ids, 'x'.repeat(1500)].map(
        (id) =>
          [
            `with ${id.slice(0, 30)}`,
            () => send(route, wholeBody(route), `${addressOf(route, id)}${queryOf(route)}`),
          ] as const,
      );
    expectAll(await problemsOf(tried, attempts, [404]));
  });

  it('is 400 for a version that is neither a number nor latest', async () => {
    const tried = routes.filter(({ path }) => path.includes('{version}'));
    const attempts = (route: Route) =>
      ['-1', '1.5', 'newest', '%00', '💥', 'x'.repeat(1500)].map(
        (version) =>
          [
            version.slice(0, 9),
            () => send(route, wholeBody(route), addressOf({ ...route, path: at(route, version) })),
          ] as const,
      );
    const at = ({ path }: Route, version: string) => path.replace('{version}', version);
    expectAll(await problemsOf(tried, attempts, [400]));
  });

  it('never causes a server error', async () => {
    const hostile: readonly unknown[] = [
      '',
      ' ',
      '\u0000',
      '\ud800',
      'x'.repeat(10_000),
      -1,
      0,
      1e308,
      9007199254740993,
      1.5,
      true,
      null,
      [],
      [null],
      [[[]]],
      {},
      { a: { b: [] } },
      { constructor: 1, toString: 1 },
    ];
    const problems: string[] = [];
    for (const route of withBody()) {
      const names = Object.keys(bodyOf(route)?.properties ?? {});
      for (const [index, value] of hostile.entries()) {
        const answer = await send(route, Object.fromEntries(names.map((name) => [name, value])));
        if (answer.status >= 500) problems.push(label(route, `all ${JSON.stringify(value).slice(0, 30)}`, answer));
        // Each field alone has a sixth of the values; together they have had all.
        for (const name of names.filter((_, at) => (at + index) % 6 === 0)) {
          const one = await send(route, { [name]: value });
          if (one.status >= 500) problems.push(label(route, `${name}=${JSON.stringify(value).slice(0, 30)}`, one));
        }
      }
    }
    expectAll(problems);
  });
});
