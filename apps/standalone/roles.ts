import { join } from 'node:path';
import type { HealthSource } from '#apps/api/health/health-source.js';
import type { System } from '#apps/composition/compose.js';
import { workHealth } from '#apps/worker/health-sources.js';
import { projectionsOverBus } from '#apps/worker/projection-host/operate.js';
import type { Projections } from '#apps/worker/projection-host/start.js';
import { startWorker } from '#apps/worker/start-worker.js';
import { BASE_MODELS } from '#gpu-runner/base-models.js';
import { serveInference } from '#gpu-runner/inference/inference-server.js';
import { startRunner } from '#gpu-runner/runner.js';
import { SOLE } from '#leadership/index.js';
import type { Settings } from '#settings/index.js';

export interface Roles {
  readonly projectionHost: Projections;
  readonly healthSources: readonly HealthSource[];
  close(): Promise<void>;
}

/** What works beside the API: process managers, and the runner that trains and serves. */
export async function startRoles({ application, locations }: System, settings: Settings): Promise<Roles> {
  const { bus, objectStore } = application.ports;
  const worker = startWorker({
    application,
    eventLog: locations.eventStore,
    readStore: locations.readStore,
    leases: SOLE,
    holder: 'standalone',
  });
  try {
    await worker.started;
  } catch (error) {
    await worker.close();
    throw error;
  }
  const runner = startRunner({
    bus,
    name: 'standalone',
    objectStore: locations.objectStore,
    workDirectory: join(settings.dataDir, 'runner'),
  });
  const inference = serveInference({
    bus,
    objectStore,
    cacheDirectory: join(settings.dataDir, 'cache', 'adapters'),
    baseDirectories: BASE_MODELS,
  });
  return {
    projectionHost: projectionsOverBus(bus),
    healthSources: workHealth(bus),
    async close() {
      await runner.close();
      await inference.close();
      await worker.close();
    },
  };
}
