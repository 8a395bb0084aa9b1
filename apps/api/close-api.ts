import type { NestFastifyApplication } from '@nestjs/platform-fastify';

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
