import type { FastifyInstance } from 'fastify';
import type { CorsOrigins } from '#settings/index.js';
import { HttpError } from './errors/http-error.js';
import { addCommonHeaders } from './request-hook.js';

/**
 * Lets web pages of other origins call every route, by the CORS protocol (https://fetch.spec.whatwg.org/#http-cors-protocol).
 * Call it before hooks that refuse requests, so that pages can read the refusals. Requests without `Origin` cost a look-up.
 *
 * Written to the raw response, as the other common headers are: event streams do not pass through Fastify's reply.
 */
export function addCors(fastify: FastifyInstance, origins: CorsOrigins): void {
  const isOpen = origins === '*';
  const listed = new Set(isOpen ? [] : origins);
  fastify.addHook('onRequest', (request, reply, done) => {
    const { headers, method } = request;
    const { origin } = headers;
    if (origin === undefined) return done();
    const { raw } = reply;
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    if (!isOpen) raw.setHeader('vary', 'Origin');
    if (!isOpen && !listed.has(origin)) {
      if (!isPreflight) return done();
      addCommonHeaders(request, reply);
      return done(new HttpError(403, NOT_LISTED, { code: 'forbidden' }));
    }
    raw.setHeader('access-control-allow-origin', isOpen ? '*' : origin);
    // A browser sends its cookie along only for origins that the operator has named.
    if (!isOpen) raw.setHeader('access-control-allow-credentials', 'true');
    if (!isPreflight) {
      raw.setHeader('access-control-expose-headers', EXPOSED);
      return done();
    }
    addCommonHeaders(request, reply);
    raw.setHeader('access-control-allow-methods', METHODS);
    raw.setHeader('access-control-max-age', MAX_AGE_SECONDS);
    const asked = headers['access-control-request-headers'];
    // SDKs send many headers of their own; `*` would not include Authorization.
    if (asked !== undefined) raw.setHeader('access-control-allow-headers', asked);
    void reply.code(204).send();
  });
}

const NOT_LISTED =
  'pages of this origin may not call this API; whoever runs it lists those that may in ANNEAL_CORS_ORIGINS';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** The longest that Chrome remembers an answer. */
const MAX_AGE_SECONDS = 7_200;

/** Headers of answers that scripts may read, in addition to those they always may (Content-Type, Content-Length). */
const EXPOSED = [
  [
    'x-request-id',
    'request-id',
    'x-anneal-dropped',
    'x-anneal-left-out',
    'x-anneal-as-of',
    'x-anneal-as-of-time',
    'x-should-retry',
    'retry-after',
  ],
  ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-ratelimit-scope', 'x-ratelimit-code'],
  ['etag', 'accept-ranges', 'content-range', 'content-disposition', 'deprecation', 'link'],
]
  .flat()
  .join(', ');
