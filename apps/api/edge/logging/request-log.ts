import type { FastifyInstance } from 'fastify';
import type { Logger } from '#primitives/logging/logger.js';
import type { Metrics } from '#primitives/metrics/metrics.js';
import type { FastifyReply, FastifyRequest } from '../http.js';

/**
 * A line for each request once it is answered, or its client has disconnected: with its route's template, never its
 * address, which may hold names and tokens.
 */
export function addRequestLog(fastify: FastifyInstance, logger: Logger): void {
  if (!logger.isLevelEnabled('info')) return;
  onEnd(fastify, ({ request, status, ms }) => {
    logger.info({
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status,
      durationMs: Math.round(ms * 10) / 10,
    });
  });
}

/** Counts each request, and how long it took. */
export function countRequests(fastify: FastifyInstance, metrics: Metrics): void {
  onEnd(fastify, ({ request, status, ms }) => {
    metrics.answered({ method: request.method, route: request.routeOptions.url ?? 'none', status, ms });
  });
}

/** The end of a request. */
interface Ended {
  readonly request: FastifyRequest;
  /** 499 if the client had disconnected before any answer, as in nginx. */
  readonly status: number;
  /** Milliseconds from its first line to its end. */
  readonly ms: number;
}

/**
 * Reports each request once, when it has been answered, or when its client has disconnected, during a stream or while
 * it waited. Fastify's own `onResponse` omits those.
 */
function onEnd(fastify: FastifyInstance, tell: (ended: Ended) => void): void {
  fastify.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    const start = performance.now();
    const { raw } = reply;
    raw.once('close', () => {
      const status = raw.headersSent ? raw.statusCode : 499;
      tell({ request, status, ms: performance.now() - start });
    });
    done();
  });
}
