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

const number = (description: string) => ({ description, schema: { type: 'integer' } });

/** What every route may answer. */
export const COMMON_RESPONSES = {
  '400': answer('The request cannot be read, or a query value is of the wrong type', 'Error'),
  '409': answer('The present state forbids it; the message names the state', 'Error'),
  '413': answer('The body is too large', 'Error'),
  '422': answer('A value is refused', 'ValidationError'),
  '500': answer('An unexpected error; X-Request-Id says which', 'InternalError'),
  '503': answer('Something needed is not available now; see Retry-After', 'Error'),
};

/** What every route that needs a key may answer besides. */
export const KEY_RESPONSES = {
  '401': answer('No key or session, or not a good one', 'UnauthorizedError'),
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
