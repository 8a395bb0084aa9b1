import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connections } from './connections/connections.js';
import { StoppingError } from './errors/http-error.js';
import { addCommonHeaders } from './request-hook.js';

/** The time that running requests have once the API stops. */
export const DRAIN_MS = 25_000;
const LOOK_EVERY_MS = 50;

/**
 * Stops accepting requests and lets running ones end; cuts their connections after the drain time.
 * @param drainMs milliseconds
 */
export async function closeApi(app: NestFastifyApplication, drainMs = DRAIN_MS): Promise<void> {
  const server = app.getHttpServer();
  await sayFarewell(app.getHttpAdapter().getInstance().connections);
  // A connection that was busy at first would be kept alive after its answer, for a next request that is not accepted.
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
 * Idle connections may bring one more request for a moment, and learn from its answer that they close. Others are
 * closed for writing only, so that a request on its way gets an end, not a reset.
 */
async function sayFarewell(connections: Connections): Promise<void> {
  connections.closing = true;
  await until(() => connections.idle().length === 0, connections.limits.farewellMs);
  const silent = connections.idle();
  for (const socket of silent) socket.end();
  await until(() => silent.every((socket) => socket.closed), connections.limits.farewellMs);
}

async function until(isDone: () => boolean, maxMs: number): Promise<void> {
  for (const end = performance.now() + maxMs; !isDone() && performance.now() < end;) await sleep(LOOK_EVERY_MS);
}

/**
 * Call it before other hooks are added. While the API closes, requests on open connections get 503, and every answer
 * has `Connection: close`, so that no client sends a request into a closing socket.
 */
export function sayWhenClosing(fastify: FastifyInstance): void {
  const { connections } = fastify;
  fastify.addHook('preClose', (done) => {
    connections.closing = true;
    done();
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!connections.closing) return done();
    addCommonHeaders(request, reply);
    done(new StoppingError());
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (connections.closing) void reply.header('connection', 'close');
    done(null, payload);
  });
}
