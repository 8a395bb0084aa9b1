import { refusedGeneration } from '#calls/fit.js';
import { CoordinationUnavailableError } from '#ports/coordination/port.js';
import {
  ConflictError,
  ForbiddenError,
  InvalidError,
  NotFoundError,
  QueueFullError,
  QuotaExceededError,
  SaturatedError,
  UnavailableError,
  WrongModelError,
} from '#domain/errors.js';
import { EventStoreUnavailableError, EventTooLargeError } from '#ports/event-store/port.js';
import { ReadStoreUnavailableError } from '#ports/read-store/port.js';
import { errorBody, inDialect, type Dialect } from './envelope.js';
import { HttpError } from './http-error.js';
import { toHttpError } from './map.js';

describe('the HTTP error for a thrown error', () => {
  it.each<[string, unknown, number]>([
    ['a missing resource', new NotFoundError('project', 'p1'), 404],
    ['a conflict with the state', new ConflictError('the job is running'), 409],
    ['a forbidden operation', new ForbiddenError('not you'), 403],
    ['a refused value', new InvalidError({ path: ['body', 'name'], message: 'is odd', type: 'invalid' }), 422],
    ['a full queue', new QueueFullError('100 jobs wait', 'training-jobs', { length: 100, limit: 100 }, 5), 429],
    ['a full quota', new QuotaExceededError('100 GB are stored'), 413],
    ['an unavailable dependency', new UnavailableError('later'), 503],
    ['a provider that takes no more, on most routes', new SaturatedError('later', 5), 503],
    ['no event store', new EventStoreUnavailableError('disk full'), 503],
    ['no read store', new ReadStoreUnavailableError('closed'), 503],
    ['no coordination', new CoordinationUnavailableError('closed'), 503],
    ["a route's own status", new HttpError(425, 'warming up', { retryAfterSeconds: 3 }), 425],
    ['more than an event can hold', new EventTooLargeError('2 MiB'), 413],
    ['a stack overflow', new RangeError('Maximum call stack size exceeded'), 422],
    ['a mistake in the code', new TypeError('private'), 500],
    ['a thrown text', 'text', 500],
    ['a thrown nothing', undefined, 500],
  ])('%s', (_, error, status) => {
    expect(toHttpError(error).status).toBe(status);
  });

  it('reveals nothing about an unexpected error', () => {
    const body = errorBody(toHttpError(new TypeError('private')), 'native', 'r1');
    expect(Object.keys(body)).toEqual(['error', 'message']);
    expect(JSON.stringify(body)).not.toContain('private');
  });

  it('gives the length of a full queue, and Retry-After', () => {
    const error = toHttpError(new QueueFullError('7 jobs wait', 'training-jobs', { length: 7, limit: 5 }, 60));
    expect(errorBody(error, 'native', 'r1')).toEqual({
      detail: '7 jobs wait',
      code: 'queue_full',
      scope: 'training-jobs',
      queue_length: 7,
    });
    expect(error.options).toMatchObject({
      retryAfterSeconds: 60,
      headers: { 'x-ratelimit-code': 'queue_full', 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0' },
    });
  });

  it("gives a domain field's place and name in the body", () => {
    const { options } = toHttpError(new InvalidError({ path: ['inputFields', 0], message: 'is odd', type: 'invalid' }));
    expect(options.errors).toEqual([{ loc: ['body', 'input_fields', 0], msg: 'is odd', type: 'invalid' }]);
  });

  it.each([
    new ConflictError('it is none', { mend: 'embed' }),
    new WrongModelError('it is none', 'embed'),
    new InvalidError({ path: ['model'], message: 'it is none', type: 'not_allowed', mend: 'embed' }),
  ])('adds the route to use instead to the message of a $name', (error) => {
    expect(toHttpError(error).message).toMatch(/it is none; use it with \/v1\/embeddings$/);
  });

  it('gives Retry-After for an unavailable dependency', () => {
    expect(toHttpError(new EventStoreUnavailableError('x')).options.retryAfterSeconds).toBe(1);
  });
});

describe('envelopes', () => {
  const body = (status: number, dialect: Dialect, options = {}) =>
    errorBody(new HttpError(status, 'why', options), dialect, 'r1');

  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [409, 'invalid_request_error'],
    [413, 'request_too_large'],
    [422, 'invalid_request_error'],
    [425, 'rate_limit_error'],
    [429, 'rate_limit_error'],
    [451, 'permission_error'],
    [500, 'api_error'],
    [503, 'api_error'],
    [529, 'overloaded_error'],
  ])("Anthropic's name for %i is %s", (status, type) => {
    expect(body(status, 'anthropic')).toEqual({ type: 'error', error: { type, message: 'why' }, request_id: 'r1' });
  });

  it('billing errors carry a code and a resolution URL in every dialect', () => {
    const billing = { code: 'out_of_credits', resolutionUrl: 'https://example.com/billing' };
    const both = { code: 'out_of_credits', resolution_url: 'https://example.com/billing' };
    expect(body(402, 'native', billing)).toEqual({ ...both, message: 'why' });
    expect(body(402, 'openai', billing)).toMatchObject({ ...both, error: both });
    expect(body(402, 'anthropic', billing)).toMatchObject({ error: both });
  });

  it('a prompt that an engine finds too long is 400 in the dialects, with the wording that clients recognise', () => {
    const refused = refusedGeneration('input', 'The prompt has 9000 tokens, and the context window 8192');
    const error = toHttpError(new InvalidError(refused));
    expect((['native', 'openai', 'anthropic'] as const).map((dialect) => inDialect(error, dialect).status)).toEqual([
      ...[422, 400, 400],
    ]);
    expect(errorBody(error, 'openai', 'r1')).toMatchObject({
      error: {
        ...{ code: 'context_length_exceeded', type: 'invalid_request_error', param: 'messages' },
        message: expect.stringMatching(/^This model's maximum context length is 8192 tokens\. .* 9000 tokens\.$/),
      },
    });
    expect(errorBody(error, 'anthropic', 'r1')).toMatchObject({
      error: { type: 'invalid_request_error', message: 'prompt is too long: 9000 tokens > 8192 maximum' },
    });
  });

  it("OpenAI's param is the refused field", () => {
    const errors = [{ loc: ['body', 'messages', 0, 'role'], msg: 'is odd', type: 'invalid' }];
    expect(body(422, 'openai', { errors })).toMatchObject({ error: { param: 'messages.0.role' } });
  });
});
