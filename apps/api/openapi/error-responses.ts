import type { OpenAPIObject } from '@nestjs/swagger';

const detail = { description: 'What is wrong, for people.', type: 'string' };
const fieldError = {
  type: 'object',
  required: ['loc', 'msg', 'type'],
  properties: {
    loc: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'integer' }] }, example: ['body', 'name'] },
    msg: { type: 'string' },
    type: { type: 'string', example: 'missing' },
  },
};

/** Shapes of errors in the native dialect; the compatible routes and the version header have their own envelopes. */
export const ERROR_SCHEMAS = {
  Error: { type: 'object', required: ['detail'], properties: { detail } },
  BadRequestError: {
    type: 'object',
    required: ['detail'],
    properties: {
      detail,
      errors: { description: 'Where values of the query are at fault.', type: 'array', items: fieldError },
    },
  },
  BillingError: {
    type: 'object',
    required: ['code', 'message', 'resolution_url'],
    properties: { code: { type: 'string' }, message: { type: 'string' }, resolution_url: { type: 'string' } },
  },
  ModelsError: {
    description: "Both families of clients read these routes: OpenAI's envelope beside the detail.",
    type: 'object',
    required: ['detail', 'error'],
    properties: {
      detail: { oneOf: [{ type: 'string' }, { type: 'object' }] },
      error: {
        type: 'object',
        required: ['code', 'type', 'param', 'message'],
        properties: {
          code: { type: 'string', nullable: true },
          type: { type: 'string' },
          param: { type: 'string', nullable: true },
          message: { type: 'string' },
        },
      },
    },
  },
  UnauthorizedError: {
    type: 'object',
    required: ['detail'],
    properties: {
      detail: {
        oneOf: [
          { type: 'string' },
          { type: 'object', properties: { message: { type: 'string' }, code: { type: 'string' } } },
        ],
      },
    },
  },
  ValidationError: {
    type: 'object',
    required: ['detail', 'errors'],
    properties: { detail, errors: { type: 'array', items: fieldError } },
  },
  RateLimitError: {
    type: 'object',
    required: ['detail', 'code', 'scope'],
    properties: { detail, code: { type: 'string', enum: ['rate_limited'] }, scope: { type: 'string' } },
  },
  InternalError: {
    type: 'object',
    required: ['error', 'message'],
    properties: { error: { type: 'string' }, message: { type: 'string' } },
  },
} as unknown as NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const answer = (description: string, schema: string, headers: object = {}) => ({
  description,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  ...headers,
});

/** In whose content another schema stands. */
const as = (response: object, content: object) => ({
  ...response,
  content: { 'application/json': { schema: content } },
});
const ref = (schema: string) => ({ $ref: `#/components/schemas/${schema}` });

const number = (description: string) => ({ description, schema: { type: 'integer' } });

/** What every route may answer. */
export const COMMON_RESPONSES = {
  '400': answer('The request cannot be read, or a query value is of the wrong type', 'BadRequestError'),
  '409': answer('The present state forbids it; the message names the state', 'Error'),
  '413': answer('The body is too large', 'Error'),
  '422': answer('A value is refused', 'ValidationError'),
  '431': answer('The headers are too large', 'Error'),
  '500': answer('An unexpected error; X-Request-Id says which', 'InternalError'),
  '503': answer('Something needed is not available now; see Retry-After', 'Error'),
};

/** What every route that needs a key may answer besides. */
export const KEY_RESPONSES = {
  '401': answer('No key or session, or not a good one', 'UnauthorizedError'),
  '403': answer('A key where a session is needed, or a request that came from another site', 'Error'),
  '404': answer('It does not exist, or is not yours', 'Error'),
  '429': answer('Too many requests', 'RateLimitError', {
    headers: {
      'Retry-After': number('Seconds'),
      'X-RateLimit-Limit': number('Requests in the window'),
      'X-RateLimit-Remaining': number('Requests left'),
      'X-RateLimit-Reset': number('Unix seconds'),
      'X-RateLimit-Scope': { schema: { type: 'string' } },
      'X-RateLimit-Code': { schema: { type: 'string' } },
    },
  }),
};

/** What a GET answers to an `If-None-Match` that holds the ETag of what would be sent. */
export const NOT_MODIFIED = { '304': { description: 'It is what you have' } };

/** What routes that run models may answer besides. */
export const MODEL_RESPONSES = {
  '402': answer('Credits are needed', 'BillingError'),
  '403': as(
    { description: 'Billing forbids it, or the request came from another site' },
    { oneOf: [ref('BillingError'), ref('Error')] },
  ),
  '425': answer('The model is warming up; see Retry-After', 'Error'),
  '451': answer('Not available in the region of the account', 'Error'),
};

/** The same responses as `/v1/models` writes them. */
export const asModelsErrors = (responses: object) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]: [string, object]) => [
      status,
      Number(status) < 400 || status === '431' ? response : as(response, ref('ModelsError')),
    ]),
  );
