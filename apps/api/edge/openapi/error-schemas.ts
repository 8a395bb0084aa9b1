import type { OpenAPIObject } from '@nestjs/swagger';

const text = (description?: string, example?: string) => ({
  type: 'string',
  ...(description !== undefined && { description }),
  ...(example !== undefined && { example }),
});
const nullableText = { type: 'string', nullable: true };
const object = (properties: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
});

const detail = text('Description of the problem, for people.');
const fieldErrors = {
  type: 'array',
  items: object({
    loc: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'integer' }] }, example: ['body', 'name'] },
    msg: text(),
    type: text('A stable word.', 'missing'),
  }),
};
const where = { code: text('A stable word.'), resolution_url: text('Where to resolve the problem.') };
const details = { oneOf: [{ type: 'string' }, object({ message: text(), code: text() })] };
const anthropicError = object(
  {
    type: { type: 'string', enum: ['error'] },
    error: object({ type: text("One of Anthropic's names.", 'not_found_error'), message: text() }, where),
    request_id: text('Same as `request-id` and `X-Request-Id`.'),
  },
  { detail: details },
);
const openaiError = object(
  {
    code: nullableText,
    type: text("One of OpenAI's names.", 'invalid_request_error'),
    param: nullableText,
    message: text(),
  },
  { resolution_url: where.resolution_url },
);

/** Every shape that an error is written in. */
export const ERROR_SCHEMAS = {
  Error: object({ detail }),
  BadRequestError: object(
    { detail },
    { errors: { ...fieldErrors, description: 'Where values of the query are at fault.' } },
  ),
  UnauthorizedError: object({ detail: details }),
  BillingError: object({ code: where.code, message: text(), resolution_url: where.resolution_url }),
  ValidationError: object({ detail, errors: fieldErrors }),
  RateLimitError: object(
    {
      detail,
      code: { type: 'string', enum: ['rate_limited', 'queue_full'] },
      scope: text('The limit or queue that refused the request.', 'request-rate'),
    },
    { queue_length: { type: 'integer', description: "How much of the workspace's waits; of a full queue." } },
  ),
  InternalError: object({ error: text(), message: text() }),
  OpenAiError: object({ error: openaiError }),
  ModelsError: {
    ...object({ detail: details, error: openaiError }),
    description: "Both families of clients read these routes: OpenAI's envelope beside the detail.",
  },
  AnthropicError: {
    ...anthropicError,
    description: 'Of any route, where the request has the header `anthropic-version`; of `/v1/messages` always.',
  },
} as unknown as NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

export type ErrorSchema =
  | 'Error'
  | 'BadRequestError'
  | 'UnauthorizedError'
  | 'BillingError'
  | 'ValidationError'
  | 'RateLimitError'
  | 'InternalError';
