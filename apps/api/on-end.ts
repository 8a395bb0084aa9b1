import type { FastifyInstance } from 'fastify';
import type { FastifyReply, FastifyRequest } from './http.js';

/** How a request ended. */
export interface Ended {
  readonly request: FastifyRequest;
  /** 499 where the client had gone before anything was answered, as nginx has it. */
  readonly status: number;
  /** From its first line to its end. */
  readonly ms: number;
}

/**
 * Tells of each request once, when it has been answered, or when its client has gone: in the middle of a stream, or while it waited.
 * Fastify's own `onResponse` tells nothing of those.
 */
export function onEnd(fastify: FastifyInstance, tell: (ended: Ended) => void): void {
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
