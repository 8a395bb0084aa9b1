import type { FastifyInstance } from 'fastify';
import type { Application } from '#application/application.js';
import { HttpError } from './edge/errors/http-error.js';

/** The parts of an API of the past, in addition to its application, whose log ends there. */
export interface PastSystem {
  /** Position and time of the last event that it follows from. */
  readonly position: string;
  readonly time: string;
  /** With today's log: who may call, and where their reads are recorded. */
  readonly present: Application;
}

/** Names the point in the headers of every answer. Call it before hooks that refuse requests. */
export function sayAsOf(fastify: FastifyInstance, { position, time }: PastSystem): void {
  fastify.addHook('onRequest', (_request, { raw }, done) => {
    raw.setHeader('x-anneal-as-of', position);
    raw.setHeader('x-anneal-as-of-time', time);
    done();
  });
}

/** Answers 405 to requests that would change something. Call it after the hook that checks credentials. */
export function refuseChanges(fastify: FastifyInstance, { time }: PastSystem): void {
  fastify.addHook('onRequest', ({ is404, method, routeOptions }, _reply, done) => {
    const reads = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    if (is404 || (reads && !routeOptions.config.changes)) return done();
    const message = `this is the system as it was at ${time}, and nothing is changed here: send ${method} to the running system`;
    done(new HttpError(405, message, { code: 'read_only', headers: { allow: 'GET, HEAD' } }));
  });
}
