import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { UnavailableError } from '#domain/errors.js';
import { addCommonHeaders } from './request-hook.js';

const DRAIN_MS = 25_000;
const LOOK_EVERY_MS = 50;

/**
 * Takes no more requests and lets those under way end; after the time given, their connections are cut.
 * @param drainMs milliseconds
 */
export async function closeApi(app: NestFastifyApplication, drainMs = DRAIN_MS): Promise<void> {
  const server = app.getHttpServer();
  // A connection that was busy at first would be kept alive after its answer, for a next request that is not taken.
  const letGo = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  try {
    await app.close();
  } finally {
    clearInterval(letGo);
    clearTimeout(cut);
  }
}

/**
 * To be called before other hooks are added. From when closing begins, what comes on a connection that is still open is 503 like any other, and every answer says that
 * the connection ends with it, so that no client sends a further request into a closing socket.
 */
export function sayWhenClosing(fastify: FastifyInstance): void {
  let closing = false;
  fastify.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!closing) return done();
    addCommonHeaders(request, reply);
    done(new UnavailableError('the server is stopping; try again'));
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) void reply.header('connection', 'close');
    done(null, payload);
  });
}
