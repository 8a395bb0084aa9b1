import {
  BillingError,
  ConflictError,
  DomainError,
  ForbiddenError,
  InvalidError,
  NotFoundError,
  NotReadyYetError,
  RegionRestrictedError,
  UnavailableError,
} from '#domain/errors.js';
import { VisibleCatalog } from '#models/catalog/visible-catalog.js';
import { ReadStoreUnavailableError } from '#ports/read-store/port.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { HttpError } from './http-error.js';

const BILLING_URL = 'https://pay.example.com';

interface Told {
  /** OpenAI's and Anthropic's names for it. */
  readonly openai: string;
  readonly anthropic: string;
  /** The `code` where it is about money. */
  readonly billing?: string;
  /** `x-should-retry` and `Retry-After`; not sent where undefined. */
  readonly again?: string;
  readonly after?: string;
}
const invalid: Told = { openai: 'invalid_request_error', anthropic: 'invalid_request_error' };
const refused: Told = { openai: 'permission_error', anthropic: 'permission_error', again: 'false' };
const broken: Told = { openai: 'server_error', anthropic: 'api_error' };
const unpaid: Told = { openai: 'insufficient_quota', anthropic: 'billing_error', again: 'false' };
const soon: Told = { openai: 'rate_limit_error', anthropic: 'rate_limit_error', again: 'true' };

/** Every status of the interface but 429 (limits.spec.ts), and the form in which clients receive it. */
const ERRORS: readonly (readonly [status: number, what: string, error: Error, told: Told])[] = [
  [400, 'what cannot be read', new HttpError(400, 'why'), invalid],
  [401, 'nobody', new HttpError(401, 'why'), { openai: 'authentication_error', anthropic: 'authentication_error' }],
  [402, 'no credits', new BillingError('out_of_credits', 'why'), { ...unpaid, billing: 'out_of_credits' }],
  [
    402,
    'a direct model',
    new BillingError('direct_model_requires_credits', 'why'),
    { ...unpaid, billing: 'direct_model_requires_credits' },
  ],
  [
    403,
    'a ceiling',
    new BillingError('credit_ceiling_reached', 'why'),
    { ...refused, billing: 'credit_ceiling_reached' },
  ],
  [403, 'no card', new BillingError('card_required', 'why'), { ...refused, billing: 'card_required' }],
  [403, 'not for keys', new ForbiddenError('why'), refused],
  [404, 'nothing', new NotFoundError('model', 'x'), { ...invalid, anthropic: 'not_found_error' }],
  [405, 'another method', new HttpError(405, 'why', { code: 'method_not_allowed' }), invalid],
  [409, 'a state', new ConflictError('why'), { ...invalid, again: 'false' }],
  [409, 'provisioning', new NotReadyYetError('provisioning', 'why', 5), { ...invalid, again: 'true', after: '5' }],
  [413, 'too much', new HttpError(413, 'why'), { ...invalid, anthropic: 'request_too_large' }],
  [422, 'a value', new InvalidError({ path: ['body', 'x', 0], message: 'why', type: 'invalid' }), invalid],
  [425, 'warming up', new NotReadyYetError('warming_up', 'why', 7), { ...soon, after: '7' }],
  [451, 'a region', new RegionRestrictedError('why'), refused],
  [500, 'a mistake', new TypeError('private'), broken],
  [503, 'an outage', new ReadStoreUnavailableError('private'), { ...broken, after: '1' }],
  [503, 'not now', new UnavailableError('why'), { ...broken, after: '1' }],
  [529, 'overload', new HttpError(529, 'why'), { ...broken, anthropic: 'overloaded_error', again: 'true' }],
];

const text = expect.stringMatching(/./);

/** The whole body, as wire details, section 2, have it. */
const BODIES: Readonly<Record<string, (status: number, told: Told, code: string | null) => object>> = {
  native: (status, { billing }) => {
    if (billing !== undefined) return { code: billing, message: text, resolution_url: BILLING_URL };
    if (status === 500) return { error: text, message: text };
    if (status === 422) return { detail: text, errors: [{ loc: ['body', 'x', 0], msg: 'why', type: 'invalid' }] };
    return { detail: text };
  },
  anthropic: (_, { anthropic, billing }) => ({
    type: 'error',
    error: {
      type: anthropic,
      message: text,
      ...(billing !== undefined && { code: billing, resolution_url: BILLING_URL }),
    },
    request_id: text,
  }),
  openai: (status, { openai, billing }, code) => ({
    detail: text,
    ...(billing !== undefined && { code: billing, message: text, resolution_url: BILLING_URL }),
    error: {
      code,
      type: openai,
      param: status === 422 ? 'x.0' : status === 404 ? 'model' : null,
      message: text,
      ...(billing !== undefined && { resolution_url: BILLING_URL }),
    },
  }),
};

/** OpenAI's `code`: a stable word where there is one. */
function codeOf(status: number, error: unknown): string | null {
  if (status === 401) return 'invalid_api_key';
  if (status === 404) return 'model_not_found';
  if (status === 405) return 'method_not_allowed';
  if (error instanceof DomainError) return error.code;
  return status === 503 ? 'unavailable' : null;
}

describe('every status in every dialect', () => {
  let api: TestSystem;
  beforeAll(async () => {
    api = await startTestApi({ billingUrl: BILLING_URL });
  });
  afterAll(() => api.close());

  const ROUTES = [
    ['native', '/base-models', {}],
    ['anthropic', '/base-models', { 'anthropic-version': '2023-06-01' }],
    ['anthropic', '/v1/models', { 'anthropic-version': '2023-06-01' }],
    ['openai', '/v1/models', {}],
  ] as const;

  describe.each(ERRORS)('%i: %s', (status, _what, error, told) => {
    it.each(ROUTES)('%s on %s', async (dialect, path, headers) => {
      api.app.get(VisibleCatalog).for = () => Promise.reject(error);
      const answer = await api.call('GET', path, undefined, { 'x-api-key': api.key, ...headers });
      expect(answer.status).toBe(status);
      expect(answer.body).toEqual(BODIES[dialect]!(status, told, codeOf(status, error)));
      expect(JSON.stringify(answer.body)).not.toContain('private');
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('x-should-retry')).toBe(told.again ?? null);
      expect(answer.headers.get('retry-after')).toBe(told.after ?? null);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const id = answer.headers.get('x-request-id');
      if (dialect === 'anthropic') expect([answer.body.request_id, answer.headers.get('request-id')]).toEqual([id, id]);
    });
  });
});
