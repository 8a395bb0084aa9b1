import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { CORRECTION, CREDENTIALS, EXAMPLES, FEW_FIELDS, TEXTS_TO_LABEL } from '#apps/api/edge/body/body-limits.js';
import { MODEL_INPUT, TOKEN_INPUT } from '#calls/input-bounds.js';
import type { JsonBounds } from '#primitives/text/json-shape.js';
import { bodySchemaOf, nameOf, needsSession, routesOf, type ApiDocument, type Route } from '#test/fuzz/document.js';
import { Schemas } from '#test/fuzz/schemas.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { hostedSettings, type HostedSettings } from '#test/support/hosted-settings.js';
import { longestTurnDuring, MAX_TURN_MS } from '#test/support/main-thread.js';
import type { ShapedAnswer, ShapedRequest } from './shape-sender.js';
import { KINDS, LARGE_TEXTS, type Shape } from './shapes.js';

const UNKNOWN_ID = '0190f3c4-0000-7000-8000-000000000000';
/** Fields that hold most of a large body. */
const MAIN_FIELDS = ['text', 'messages', 'prompt', 'input', 'inputs', 'system', 'instructions', 'corrected_output'];

/** `ANNEAL_ALL_SHAPES=1` tries every kind in every field of every route, which takes many minutes. */
const ALL_SHAPES = process.env['ANNEAL_ALL_SHAPES'] === '1';
/** Long texts take longest: a route is tried with one of this number of kinds, and its neighbours with the others. */
const ROUTES_A_KIND = ALL_SHAPES ? 1 : 4;

const limitsOf = ({ path }: Route): JsonBounds => {
  if (path === '/auth/sign-in') return CREDENTIALS;
  if (path === '/generate') return EXAMPLES;
  if (path.endsWith('/feedback')) return CORRECTION;
  if (path.includes('label-existing')) return TEXTS_TO_LABEL;
  if (/embeddings$|v1\/completions$/.test(path)) return TOKEN_INPUT;
  return /^\/(?:v1\/|inference$|gliner-2)/.test(path) ? MODEL_INPUT : FEW_FIELDS;
};

/** Usual values of fields that call a model. */
const USUAL: Readonly<Record<string, unknown>> = {
  ...{ model: 'acme/claude', model_id: 'anneal/encoder-base-v1', text: 'x', schema: ['city'], max_tokens: 5 },
  ...{ messages: [{ role: 'user', content: 'x' }], prompt: 'x', input: 'x', inputs: ['x'], labels: ['a', 'b'] },
};

describe("a body of any shape within its route's limits", () => {
  let api: TestApi;
  let hosted: HostedSettings;
  let sender: Worker;
  let routes: readonly Route[];
  let schemas: Schemas;
  beforeAll(async () => {
    // The port has no listener: requests to the provider are still serialised.
    hosted = await hostedSettings('http://127.0.0.1:9', {}, 'http://127.0.0.1:9');
    api = await startTestApi({ ...hosted.values, rateLimits: false });
    sender = new Worker(new URL('./shape-sender.js', import.meta.url));
    const { body } = await api.call('GET', '/openapi.json', undefined, {});
    schemas = new Schemas(body as ApiDocument);
    routes = routesOf(body as ApiDocument).filter((route) => bodySchemaOf(route) !== null);
  });
  afterAll(async () => {
    await sender.terminate();
    await api.close();
    await hosted.remove();
  });

  const namesOf = (route: Route): readonly string[] => {
    const schema = bodySchemaOf(route)!;
    const parts = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map((one) => schemas.resolved(one));
    return [...new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)))];
  };

  async function problemWith(route: Route, shape: Shape): Promise<string | null> {
    const request: ShapedRequest = {
      url: api.url + route.path.replace('{version}', 'latest').replaceAll(/\{[^}]+\}/g, UNKNOWN_ID),
      method: route.method,
      headers: needsSession(route) ? { authorization: `Bearer ${api.session}` } : { 'x-api-key': api.key },
      shape,
    };
    sender.postMessage(request);
    const { ms, result } = await longestTurnDuring(once(sender, 'message') as Promise<[ShapedAnswer]>);
    const [[status, text]] = result;
    const said = `${nameOf(route)} ${shape.kind} in ${shape.field}: ${status} after a turn of ${ms} ms, ${text.slice(0, 80)}`;
    // The provider is not there, which is told as such.
    const isFault = status >= 500 && status !== 502 && status !== 503;
    return isFault || status === 0 || ms >= MAX_TURN_MS ? said : null;
  }

  /** The other fields of a valid body that calls a model: a text or, if that is the field under test, messages. */
  const othersOf = (names: readonly string[], field: string | null): object => {
    const isChat = field === 'messages' || !names.includes('text');
    const left = isChat ? ['text', 'schema'] : ['messages', 'max_tokens'];
    const fields = Object.entries(USUAL).filter(([name]) => names.includes(name) && !left.includes(name));
    return Object.fromEntries(fields.filter(([name]) => name !== field));
  };

  /** @param share 1 in this number of a route's fields is tried with each kind, and each field with some kind */
  async function problemsOf(tried: readonly Route[], kinds: readonly Shape['kind'][], isLarge: boolean, share: number) {
    const problems: string[] = [];
    const fieldsAKind = ALL_SHAPES ? 1 : share;
    for (const route of tried) {
      const names = namesOf(route);
      const all = isLarge ? names.filter((name) => MAIN_FIELDS.includes(name)) : [...names, 'surprise', null];
      const limits = limitsOf(route);
      for (const [index, kind] of kinds.entries())
        for (const field of all.filter((_, at) => (at + index) % Math.min(fieldsAKind, all.length) === 0)) {
          const shape = { others: othersOf(names, field), field, kind, ...limits };
          const problem = await problemWith(route, shape);
          if (problem !== null) problems.push(problem);
        }
    }
    return problems;
  }

  const structures = Object.keys(KINDS).filter(
    (kind) => !(LARGE_TEXTS as readonly string[]).includes(kind),
  ) as Shape['kind'][];

  it('with few fields does not block the main thread for long', async () => {
    const few = routes.filter((route) => limitsOf(route).bytes < TEXTS_TO_LABEL.bytes);
    expect(await problemsOf(few, Object.keys(KINDS) as Shape['kind'][], false, 4)).toEqual([]);
  });

  it('with deep structure for models does not block the main thread for long', async () => {
    const large = routes.filter((route) => limitsOf(route).bytes >= TEXTS_TO_LABEL.bytes);
    expect(await problemsOf(large, structures, true, 2)).toEqual([]);
  });

  it('with 300,000 token ids is read, and those of another encoding are refused by name', async () => {
    const input = Array.from({ length: 1_000 }, () => Array.from({ length: 300 }, (_, index) => 300 + index));
    const embed = () => api.call('POST', '/v1/embeddings', { model: 'anneal/embedder-base-v1', input, dimensions: 2 });
    expect((await embed()).status).toBe(200);
    input[999]![299] = 200_000;
    const { status, body } = await embed();
    expect([status, body.error.param]).toEqual([422, 'input.999']);
  });

  it('with long texts for models does not block the main thread for long', async () => {
    const large = routes.filter((route) => limitsOf(route).bytes >= TEXTS_TO_LABEL.bytes);
    const problems: string[] = [];
    for (const [index, route] of large.entries()) {
      const kinds = LARGE_TEXTS.filter((_, at) => (index + at) % ROUTES_A_KIND === 0);
      problems.push(...(await problemsOf([route], kinds, true, 3)));
    }
    expect(problems).toEqual([]);
  });
});
