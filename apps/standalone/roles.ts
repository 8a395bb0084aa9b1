import { join } from 'node:path';
import { BASE_MODELS } from '#gpu-runner/base-models.js';
import { serveInference } from '#gpu-runner/inference/inference-server.js';
import type { HealthSource } from '#apps/api/health/health-source.js';
import type { Settings } from '#settings/index.js';
import type { Embedded } from './compose.js';

export interface Roles {
  readonly healthSources: readonly HealthSource[];
  close(): Promise<void>;
}

/** What works beside the API: process managers, and the runner that trains and serves. */
export function startRoles({ application }: Embedded, settings: Settings): Roles {
  const { bus, objectStore } = application.ports;
  const inference = serveInference({
    bus,
    objectStore,
    cacheDirectory: join(settings.dataDir, 'cache', 'adapters'),
    baseDirectories: BASE_MODELS,
  });
  return {
    healthSources: [],
    async close() {
      await inference.close();
    },
  };
}
