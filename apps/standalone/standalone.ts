import type { AddressInfo } from 'node:net';
import { bootstrap, type Bootstrapped } from '#application/accounts/index.js';
import { Authenticator } from '#apps/api/auth/index.js';
import { closeApi } from '#apps/api/close-api.js';
import { createApi } from '#apps/api/create-api.js';
import { createLogger } from '#apps/api/logging/logger.js';
import { allOperations } from '#apps/operator/index.js';
import { serveOperations } from '#apps/operator/socket.js';
import type { RunningProcess } from '#apps/composition/run-process.js';
import { API_PORT, type Settings } from '#settings/index.js';
import { compose } from '#apps/composition/compose.js';
import { startRoles } from './roles.js';

export interface Standalone extends RunningProcess {
  readonly url: string;
}

/**
 * Starts every role in one process.
 * @throws FolderInUseError when another process has the data folder
 */
export async function startStandalone(settings: Settings): Promise<Standalone> {
  const system = await compose(settings);
  const { application, secret, healthSources, publicAddress, metrics } = system;
  const roles = await startRoles(system, settings);
  metrics?.watchProjections(() => roles.projectionHost.status());
  const bootstrapped = await bootstrap(application, secret, settings);
  const logger = createLogger(settings.logLevel);
  const api = await createApi({
    application,
    settings,
    secret,
    healthSources: [...healthSources, ...roles.healthSources],
    metrics,
    logger,
  });
  // Not by Nest, which would log what `main` says in one line.
  await api
    .getHttpAdapter()
    .getInstance()
    .listen({ port: settings.port ?? API_PORT, host: settings.host });
  publicAddress.listensOn(settings.host, (api.getHttpServer().address() as AddressInfo).port);
  const authenticator = api.get(Authenticator);
  const operations = allOperations({ ...system, ...roles }, (keyHash) => authenticator.dropKey(keyHash));
  const operator = await serveOperations(settings.dataDir, operations);
  const { url } = publicAddress;
  return {
    url,
    greeting: greetingOf(url, bootstrapped, settings),
    failure: system.failure,
    async close() {
      await operator.close();
      await closeApi(api);
      await roles.close();
      await system.close();
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
