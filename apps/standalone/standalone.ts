import type { AddressInfo } from 'node:net';
import { bootstrap, type Bootstrapped } from '#application/accounts/index.js';
import { Authenticator } from '#apps/api/auth/index.js';
import { closeApi } from '#apps/api/close-api.js';
import { createApi } from '#apps/api/create-api.js';
import { createLogger } from '#apps/api/logging/logger.js';
import { allOperations } from '#apps/operator/index.js';
import { serveOperations } from '#apps/operator/socket.js';
import type { Settings } from '#settings/index.js';
import { composeEmbedded } from './compose.js';
import { startRoles } from './roles.js';

export interface Standalone {
  readonly url: string;
  /** Lines for the person who started it. */
  readonly greeting: readonly string[];
  /** Resolves when the process can no longer do its work. */
  readonly failure: Promise<Error>;
  /** Takes no more requests, lets those under way end, and closes everything in order. */
  close(): Promise<void>;
}

/**
 * Starts every role in one process on the embedded adapters.
 * @throws FolderInUseError when another process has the data folder
 */
export async function startStandalone(settings: Settings): Promise<Standalone> {
  const embedded = await composeEmbedded(settings);
  const { application, secret, healthSources, publicAddress } = embedded;
  const bootstrapped = await bootstrap(application, secret, settings);
  const roles = startRoles(embedded, settings);
  const logger = createLogger(settings.logLevel);
  const api = await createApi({
    application,
    settings,
    secret,
    healthSources: [...healthSources, ...roles.healthSources],
    metrics: embedded.metrics,
    logger,
  });
  // Not by Nest, which would log what `main` says in one line.
  await api.getHttpAdapter().getInstance().listen({ port: settings.port, host: settings.host });
  publicAddress.listensOn(settings.host, (api.getHttpServer().address() as AddressInfo).port);
  const authenticator = api.get(Authenticator);
  const operations = allOperations(embedded, (keyHash) => authenticator.dropKey(keyHash));
  const operator = await serveOperations(settings.dataDir, operations);
  const { url } = publicAddress;
  return {
    url,
    greeting: greetingOf(url, bootstrapped, settings),
    failure: embedded.failure,
    async close() {
      await operator.close();
      await closeApi(api);
      await roles.close();
      await embedded.close();
    },
  };
}

function greetingOf(url: string, { signInPath, apiKeyRegistered, user }: Bootstrapped, settings: Settings): string[] {
  const lines = [`Anneal listens on ${url} (API documentation: ${url}/docs), with its data in ${settings.dataDir}`];
  if (signInPath) lines.push(`Sign in as ${user.email}, once, to make an API key: ${url}${signInPath}`);
  else lines.push(`Sign in as ${user.email} at ${url} to make an API key, or run: npx anneal key create NAME`);
  if (apiKeyRegistered) lines.push('The key in ANNEAL_BOOTSTRAP_API_KEY works.');
  if (!settings.rateLimits) lines.push('WARNING: ANNEAL_RATE_LIMITS=off: calls are not limited.');
  return lines;
}
