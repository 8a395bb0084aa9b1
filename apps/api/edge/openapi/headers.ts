const header = (type: 'string' | 'integer' | 'boolean', description: string) => ({ description, schema: { type } });

/** Response headers as components; operations refer to them by name. */
export const HEADERS = {
  'X-Request-Id': header('string', 'As in the log; your own where the request had a sane one.'),
  ETag: header('string', 'Strong: identifies this exact content. Send it back in `If-None-Match`.'),
  'Cache-Control': header('string', '`private, no-cache`: keep it for yourself, and ask again before use.'),
  'Retry-After': header('integer', 'Seconds.'),
  'x-should-retry': header(
    'boolean',
    'Whether the same request may succeed later: the SDKs of OpenAI and Anthropic obey it.',
  ),
  'x-anneal-as-of': header('string', 'With `as_of`: position of the last event that the answer includes.'),
  'x-anneal-left-out': header('string', 'With `as_of`: fields that hold less than they did at that time.'),
  'anneal-ignored': header('string', 'Fields of the body that this route does not know.'),
  'X-RateLimit-Limit': header('integer', 'Requests in the window.'),
  'X-RateLimit-Remaining': header('integer', 'Requests left, as far as this process knows.'),
  'X-RateLimit-Reset': header('integer', 'End of the window, in Unix seconds.'),
  'X-RateLimit-Scope': header('string', '`request-rate`.'),
  'X-RateLimit-Code': header('string', '`rate_limited`.'),
} as const;

export type HeaderName = keyof typeof HEADERS;

export const LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

/** The `headers` of a response. */
export const headers = (...names: readonly HeaderName[]): Record<string, object> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
