import type { FastifyInstance } from 'fastify';
import type { Logger } from './logger.js';

/** A line for each request once it is answered: its route's template, never its address, which may hold names and tokens. */
export function addRequestLog(fastify: FastifyInstance, logger: Logger): void {
  if (!logger.isLevelEnabled('info')) return;
  fastify.addHook('onResponse', (request, reply, done) => {
    logger.info({
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 10) / 10,
    });
    done();
  });
}
