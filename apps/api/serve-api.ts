import type { AddressInfo } from 'node:net';
import { bootstrap, type Bootstrapped } from '#application/accounts/index.js';
import type { System } from '#apps/composition/compose.js';
import { API_PORT } from '#settings/index.js';
import { Authenticator } from './edge/auth/index.js';
import { closeApi } from './edge/close-api.js';
import { createApi } from './create-api.js';
import type { HealthSource } from '#primitives/health/health.js';
import { prepareBodySchemas } from './edge/validation/body-schema.js';
import { createLogger } from '#primitives/logging/logger.js';

export interface ServedApi {
  readonly url: string;
  readonly bootstrapped: Bootstrapped;
  /** Forgets a revoked key, so that this process refuses every request from now on. */
  dropKey(keyHash: string): void;
  /** Resolves once nothing of the start goes on beside the first requests. */
  readonly settled: Promise<void>;
  /** Stops accepting requests, and lets running ones end. */
  close(): Promise<void>;
}

/**
 * Creates the first user if there is none, and listens.
 * @param roles health of the roles beside the API
 */
export async function serveApi(system: System, roles: readonly HealthSource[]): Promise<ServedApi> {
  const { application, settings, secret, engines, metrics, publicAddress } = system;
  const bootstrapped = await bootstrap(application, secret, settings);
  const logger = createLogger(settings.logLevel);
  const healthSources = [...system.healthSources, ...roles];
  const api = await createApi({ application, settings, secret, engines, healthSources, metrics, logger });
  const { host } = settings;
  // Not through Nest, which would log what `main` already prints.
  await api
    .getHttpAdapter()
    .getInstance()
    .listen({ port: settings.port ?? API_PORT, host });
  publicAddress.listensOn(host, (api.getHttpServer().address() as AddressInfo).port);
  const authenticator = api.get(Authenticator);
  return {
    url: publicAddress.url,
    settled: application.background.once('prepare-body-schemas', prepareBodySchemas()),
    bootstrapped,
    dropKey: (keyHash) => authenticator.dropKey(keyHash),
    close: () => closeApi(api),
  };
}

/** Lines for the person who started it. */
export function greetingOf({ url, bootstrapped }: ServedApi, { settings }: System, where: string): string[] {
  const { signInPath, apiKeyRegistered, user } = bootstrapped;
  const lines = [`Anneal listens on ${url} (API documentation: ${url}/docs), ${where}`];
  if (signInPath)
    lines.push(
      `Sign in as ${user.email} to make an API key (once; npx anneal sign-in-link makes another link): ${url}${signInPath}`,
    );
  else lines.push(`Sign in as ${user.email} at ${url} to make an API key, or run: npx anneal key create NAME`);
  if (apiKeyRegistered) lines.push('The key in ANNEAL_BOOTSTRAP_API_KEY works.');
  if (!settings.rateLimits) lines.push('WARNING: ANNEAL_RATE_LIMITS=off: calls are not limited.');
  return lines;
}
