import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi } from '#apps/api/create-api.js';
import { createLogger } from '#primitives/logging/logger.js';
import { compose } from '#apps/composition/compose.js';
import { startRoles } from '#apps/standalone/roles.js';
import { bootstrap } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import type { Coordination } from '#ports/coordination/port.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { ENGINES } from '#gpu-runner/engines/engines.js';

export interface Replicas {
  /** API key of the only user. */
  readonly key: string;
  /** Asks one of the two. Without headers of its own a request has the key. */
  call(
    replica: 0 | 1,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly body: Record<string, unknown> }>;
  close(): Promise<void>;
}

/**
 * Two APIs that share the ports, as two processes would: each remembers and counts by itself.
 * @param openCoordination one for each, on the same place; without it they share the embedded one
 */
export async function startReplicas(
  values: Partial<Settings>,
  openCoordination?: () => Promise<Coordination>,
): Promise<Replicas> {
  const dataDir = await mkdtemp(join(tmpdir(), 'anneal-replicas-'));
  const key = newApiKey();
  const settings = new Settings({ dataDir, durability: 'normal', logLevel: 'silent', bootstrapApiKey: key, ...values });
  const system = await compose(settings);
  const roles = await startRoles(system);
  const { secret } = system;
  const apis: NestFastifyApplication[] = [];
  const opened: { close(): Promise<void> }[] = [];
  const urls: string[] = [];
  for (const replica of [0, 1]) {
    const coordination = (await openCoordination?.()) ?? system.application.ports.coordination;
    if (openCoordination) opened.push(coordination);
    const application = new Application(
      { ...system.application.ports, eventStore: system.application.storedEvents, coordination },
      { ...system.application.deployment, severalReplicas: true },
      system.application.contentKeys,
    );
    opened.push(application);
    if (replica === 0) await bootstrap(application, secret, settings);
    const logger = createLogger(settings.logLevel);
    const api = await createApi({ application, settings, secret, engines: ENGINES, healthSources: [], logger });
    await api.listen(0, '127.0.0.1');
    apis.push(api);
    urls.push(await api.getUrl());
  }
  return {
    key,
    async call(replica, method, path, body, headers = { 'x-api-key': key }) {
      const response = await fetch(urls[replica] + path, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Record<string, unknown>,
      };
    },
    async close() {
      for (const api of apis) await api.close();
      for (const each of opened) await each.close();
      await roles.close();
      await system.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
