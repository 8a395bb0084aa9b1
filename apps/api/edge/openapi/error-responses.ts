import { dialectOf } from '../errors/envelope.js';
import type { ErrorSchema } from './error-schemas.js';
import { headers, LIMIT_HEADERS, type HeaderName } from './headers.js';

/** An error that a route may answer with, before it is put into the shapes of its path. */
interface ErrorResponse {
  readonly description: string;
  readonly schemas: readonly ErrorSchema[];
  readonly headers?: readonly HeaderName[];
  readonly example?: object;
}

type ErrorResponses = Readonly<Record<string, ErrorResponse>>;

const error = (
  description: string,
  schemas: ErrorSchema | readonly ErrorSchema[],
  more: Omit<ErrorResponse, 'description' | 'schemas'> = {},
): ErrorResponse => ({ description, schemas: [schemas].flat(), ...more });

/** Responses common to all routes. */
export const COMMON_ERRORS: ErrorResponses = {
  '400': error('The request cannot be parsed, or a query value has the wrong type', 'BadRequestError', {
    example: { detail: 'the body is not valid JSON: it ends too early' },
  }),
  '409': error('The current state does not allow this; the message names the state', 'Error', {
    headers: ['x-should-retry', 'Retry-After'],
    example: { detail: 'training job 0199a7c2-… is running; its model can be used once it is complete' },
  }),
  '413': error('The body is too large, or a quota is exceeded', 'Error'),
  '415': error('The Content-Encoding of the body is not supported', 'Error'),
  '422': error('A value is invalid', 'ValidationError', {
    example: {
      detail: 'name: is required and must be a string',
      errors: [{ loc: ['body', 'name'], msg: 'is required and must be a string', type: 'missing' }],
    },
  }),
  '431': error('The headers are too large', 'Error'),
  '500': error('An unexpected error; X-Request-Id identifies it in the log', 'InternalError'),
  '503': error('A required component is unavailable at the moment', 'Error', { headers: ['Retry-After'] }),
};

/** Responses of routes that need a key. */
export const KEY_ERRORS: ErrorResponses = {
  '401': error('The API key or session is missing or invalid, or the account is blocked', 'UnauthorizedError', {
    example: { detail: { message: 'no credentials: send your API key in …', code: 'invalid_credentials' } },
  }),
  '403': error('The key or session does not permit this, or the request came from another site', 'Error', {
    headers: ['x-should-retry'],
  }),
  '404': error('The resource does not exist, or belongs to another workspace', 'Error', {
    example: { detail: 'project "0199a7c2-…" does not exist' },
  }),
  '429': error('Too many requests, or a queue is full', 'RateLimitError', {
    headers: ['Retry-After', ...LIMIT_HEADERS, 'X-RateLimit-Scope', 'X-RateLimit-Code'],
    example: {
      detail: 'more than 20 requests in a minute; try again in 12 s',
      code: 'rate_limited',
      scope: 'request-rate',
    },
  }),
};

/** Responses of routes that run models. */
export const MODEL_ERRORS: ErrorResponses = {
  '402': error('Credits are required', 'BillingError', {
    headers: ['x-should-retry'],
    example: {
      code: 'out_of_credits',
      message: "the team's credits are used up",
      resolution_url: 'https://anneal.example.com/account',
    },
  }),
  '403': error('Billing does not permit this, or the request came from another site', ['BillingError', 'Error'], {
    headers: ['x-should-retry'],
  }),
  '425': error('The model is warming up', 'Error', { headers: ['x-should-retry', 'Retry-After'] }),
  '451': error("The model is not available in the account's region", 'Error', { headers: ['x-should-retry'] }),
};

/** Responses of `POST /v1/messages`. */
export const OVERLOADED: ErrorResponses = {
  '529': error('The server or provider of the model accepts no more requests at the moment', 'Error', {
    headers: ['x-should-retry', 'Retry-After'],
  }),
};

/** The error as a path writes it: in its own envelope, and in Anthropic's for who sends that version header. */
export function errorResponse(
  status: string,
  { description, schemas, headers: names = [], example }: ErrorResponse,
  path: string,
) {
  // A 431 occurs before any route is known.
  const own = status === '431' ? ['Error'] : envelopes(path, schemas);
  const refs = own.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const content = {
    schema: refs.length === 1 ? refs[0] : { anyOf: refs },
    ...(own[0] === schemas[0] && example && { example }),
  };
  return { description, headers: headers('X-Request-Id', ...names), content: { 'application/json': content } };
}

function envelopes(path: string, native: readonly ErrorSchema[]): readonly string[] {
  switch (dialectOf(path, false)) {
    case 'openai':
      return ['OpenAiError', 'AnthropicError'];
    case 'openai+detail':
      return ['ModelsError', 'AnthropicError'];
    case 'native':
      return [...native, 'AnthropicError'];
    default:
      return ['AnthropicError'];
  }
}
