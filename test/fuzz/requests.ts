import * as fc from 'fast-check';
import { bodySchemaOf, type Parameter, type Route } from './document.js';
import { kindOfField, kindOfPathParameter, Reference, reference, type Credential } from './references.js';
import type { Schemas } from './schemas.js';
import type { WireRequest } from './send.js';
import { almostValid, hostile, valid } from './values.js';

/** A request to be: what it refers to is looked up when it is sent. */
export interface FuzzRequest {
  readonly route: Route;
  readonly credential: Credential;
  /** Values of the path's parameters, in order; sent as they are, escaped or not. */
  readonly path: readonly (string | Reference)[];
  readonly query: readonly (readonly [string, unknown])[];
  readonly headers: readonly (readonly [string, string])[];
  readonly body: { readonly json: unknown } | { readonly raw: string | Uint8Array } | null;
}

/** Requests of one route. */
export function requestsOf(schemas: Schemas, route: Route): fc.Arbitrary<FuzzRequest> {
  const parameters = route.operation.parameters ?? [];
  const inQuery = parameters.filter(({ in: where }) => where === 'query');
  return fc.record({
    route: fc.constant(route),
    credential: CREDENTIALS,
    path: fc.tuple(...namesIn(route.path).map((name) => segment(route.path, name))),
    query: fc.oneof({ arbitrary: query(schemas, inQuery), weight: inQuery.length > 0 ? 3 : 1 }, fc.constant([])),
    headers: fc.oneof({ arbitrary: fc.constant([]), weight: 6 }, fc.array(HEADERS, { minLength: 1, maxLength: 3 })),
    body: body(schemas, route),
  });
}

const namesIn = (path: string): readonly string[] => [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);

const CREDENTIALS: fc.Arbitrary<Credential> = fc.oneof(
  { arbitrary: fc.constant('key' as const), weight: 16 },
  ...(['bearer', 'session', 'cookie', 'unknown', 'none'] as const).map((one) => fc.constant(one)),
);

const UNKNOWN_ID = '0190f3c4-0000-7000-8000-000000000000';
/** Path segments that hardly name anything, some of them escaped. */
export const SEGMENTS: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[
      'latest',
      '1',
      '2',
      '0',
      '-1',
      '01',
      '1.5',
      '1e3',
      '9'.repeat(30),
      UNKNOWN_ID,
      'null',
      'undefined',
      'x'.repeat(1500),
    ],
    ...[
      '.',
      '..',
      '%2e%2e',
      '..%2f..%2fetc%2fpasswd',
      '%2F',
      '%5c',
      '%00',
      '%zz',
      '%ff',
      '%ed%a0%80',
      '%F0%9F%92%A5',
      '%0d%0a',
    ],
    ...['__proto__', 'constructor', '%7B%7D', "';--", '*', '$ne', '%25', '+', '%20', ';', 'a;b=c', ':id', '(.*)'],
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
);

function segment(path: string, name: string): fc.Arbitrary<string | Reference> {
  const kind = kindOfPathParameter(path, name);
  return kind ? fc.oneof({ arbitrary: reference(kind), weight: 5 }, SEGMENTS) : SEGMENTS;
}

function query(schemas: Schemas, parameters: readonly Parameter[]): fc.Arbitrary<FuzzRequest['query']> {
  const names = parameters.map(({ name }) => name);
  const documented = parameters.map(({ name, schema = {} }) => {
    const kind = kindOfField(name);
    const good = valid(schemas, schema, false, name);
    return fc.tuple(fc.constant(name), kind ? fc.oneof(good, reference(kind)) : good);
  });
  const strange = fc.tuple(
    fc.constantFrom(...names, 'limit[]', 'limit[a]', 'a', '', '__proto__', 'constructor', '%00', 'x'.repeat(500)),
    fc.oneof(hostile, fc.constantFrom('', '1', '-1', '1e3', '0x1', ' 1', '1.0', 'TRUE', '%zz', '%00', '%ff', 'a,b')),
  );
  const pair = documented.length === 0 ? strange : fc.oneof({ arbitrary: fc.oneof(...documented), weight: 4 }, strange);
  // The same name may come twice.
  return fc.array(pair, { minLength: 1, maxLength: 4 });
}

const HEADERS: fc.Arbitrary<readonly [string, string]> = fc.constantFrom(
  ...(
    [
      ['anthropic-version', '2023-06-01'],
      ['anthropic-version', ''],
      ['x-request-id', 'mine-1'],
      ['x-request-id', '"><script>\u00ff'],
      ['x-request-id', 'x'.repeat(3000)],
      ['idempotency-key', 'k1'],
      ['idempotency-key', 'k2'],
      ['idempotency-key', ''],
      ['idempotency-key', 'x'.repeat(300)],
      ['idempotency-key', '\u00e9\u00ff'],
      ['if-none-match', '*'],
      ['if-none-match', 'W/"0"'],
      ['if-none-match', '"'.repeat(50)],
      ['if-match', '"0"'],
      ['if-modified-since', 'yesterday'],
      ['range', 'bytes=0-1,5-'],
      ['accept', 'text/csv;q=0.5, */*;q=0'],
      ['accept-encoding', 'br;q=1, gzip'],
      ['content-encoding', 'gzip'],
      ['content-type', 'application/json; charset=utf-16'],
      ['content-type', 'application/vnd.api+json'],
      ['content-type', 'multipart/form-data; boundary=x'],
      ['content-type', ';;;'],
      ['content-type', ''],
      ['x-http-method-override', 'DELETE'],
      ['x-forwarded-for', '127.0.0.1, ::1'],
      ['x-forwarded-host', 'evil.example'],
      ['forwarded', 'for=unknown;host=evil.example'],
      ['origin', 'https://evil.example'],
      ['sec-fetch-site', 'cross-site'],
      ['sec-fetch-site', 'same-origin'],
      ['cookie', 'anneal_session=; anneal_session=a=b'],
      ['x-api-key', 'pio_sk_'],
      ['authorization', 'Basic YTpi'],
      ['traceparent', '00-zz-zz-01'],
      ['baggage', 'x'.repeat(6000)],
      ['te', 'trailers'],
      ['__proto__', 'x'],
    ] as const
  ).map(([name, value]) => [name, value] as const),
);

const RAW: readonly (string | Uint8Array)[] = [
  ...['', ' ', '{', '{"a":', '[]', '"text"', '5', 'true', 'null', 'NaN', '{}x', "{'a':1}", '{"a":1,}', '\ufeff{}'],
  ...['{"a":1e999}', '{"name":"x","name":"y"}', '{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}'],
  ...['['.repeat(100_000), `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, `{"text":"${'x'.repeat(300_000)}"}`],
  ...[
    new Uint8Array([0xff, 0xfe, 0x7b]),
    new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
    new Uint8Array(64),
  ],
];

function body(schemas: Schemas, route: Route): fc.Arbitrary<FuzzRequest['body']> {
  const json = (value: fc.Arbitrary<unknown>) => value.map((one) => ({ json: one }));
  const raw = fc.constantFrom(...RAW).map((one) => ({ raw: one }));
  const schema = bodySchemaOf(route);
  if (!schema) return fc.oneof({ arbitrary: fc.constant(null), weight: 9 }, json(hostile), raw);
  return fc.oneof(
    { arbitrary: json(valid(schemas, schema)), weight: 5 },
    { arbitrary: json(valid(schemas, schema, true)), weight: 5 },
    { arbitrary: json(almostValid(schemas, schema)), weight: 8 },
    json(hostile),
    raw,
    fc.constant(null),
  );
}

/** Puts what it refers to in its place. */
export function onTheWire(
  request: FuzzRequest,
  resolve: (reference: Reference) => string,
  credential: readonly (readonly [string, string])[],
): WireRequest {
  let at = 0;
  const path = request.route.path.replaceAll(/\{[^}]+\}/g, () => {
    const value = request.path[at++] ?? '';
    return value instanceof Reference ? encodeURIComponent(resolve(value)) : rawSegment(value);
  });
  const query = request.query.map(([name, value]) => `${escaped(name)}=${escaped(asText(value, resolve))}`).join('&');
  const content = contentOf(request, resolve);
  const hasType = request.headers.some(([name]) => name === 'content-type');
  return {
    method: request.route.method,
    target: query === '' ? path : `${path}?${query}`.slice(0, 8_000),
    headers: [
      ...credential,
      ...(content !== null && !hasType ? [['content-type', 'application/json'] as const] : []),
      ...request.headers,
    ],
    body: content,
  };
}

function contentOf({ body }: FuzzRequest, resolve: (reference: Reference) => string): string | Uint8Array | null {
  if (body === null) return null;
  if ('raw' in body) return body.raw;
  const text = JSON.stringify(body.json, (_, value: unknown) => (value instanceof Reference ? resolve(value) : value));
  return text ?? null;
}

function asText(value: unknown, resolve: (reference: Reference) => string): string {
  if (value instanceof Reference) return resolve(value);
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Leaves escapes as they are. */
const rawSegment = (text: string): string =>
  /^[!-~]+$/.test(text) && !/[?#\s]/.test(text) ? text : encodeURIComponent(text);

const escaped = (text: string): string =>
  /^(%[0-9a-z]{2})+$/i.test(text) ? text : encodeURIComponent(text.slice(0, 4_000).toWellFormed());
