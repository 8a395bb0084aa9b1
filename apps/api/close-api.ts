import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const DRAIN_MS = 25_000;

/**
 * Takes no more requests and lets those under way end; after the time given, their connections are cut.
 * @param drainMs milliseconds
 */
export async function closeApi(app: NestFastifyApplication, drainMs = DRAIN_MS): Promise<void> {
  const server = app.getHttpServer();
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  try {
    await app.close();
  } finally {
    clearTimeout(cut);
  }
}
