import type { FastifyInstance } from 'fastify';
import { onEnd } from '../on-end.js';
import type { Logger } from './logger.js';

/** A line for each request once it is answered, or its client has gone: its route's template, never its address, which may hold names and tokens. */
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
