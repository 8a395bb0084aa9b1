import { join } from 'node:path';
import { datasetProcessing } from '#apps/worker/dataset-processing/index.js';
import { startTrainingWork } from '#apps/worker/training/index.js';
import { BASE_MODELS } from '#gpu-runner/base-models.js';
import { serveInference } from '#gpu-runner/inference/inference-server.js';
import { startRunner } from '#gpu-runner/runner.js';
import { ProcessManagerHost } from '#process-manager/host.js';
import type { ProcessManager } from '#process-manager/process-manager.js';
import type { HealthSource } from '#apps/api/health/health-source.js';
import type { Settings } from '#settings/index.js';
import { startProjectionHost, type RunningProjectionHost } from '#apps/worker/projection-host/start.js';
import type { System } from '#apps/composition/compose.js';
import { processManagerHealth, projectionHealth, runnerHealth } from '#apps/composition/health-sources.js';
import { PROJECTION_ADVANCED } from '#application/visibility.js';

export interface Roles {
  readonly projectionHost: RunningProjectionHost;
  readonly healthSources: readonly HealthSource[];
  close(): Promise<void>;
}

/** What works beside the API: process managers, and the runner that trains and serves. */
export async function startRoles({ application, locations, onFailure }: System, settings: Settings): Promise<Roles> {
  const { bus, eventStore, objectStore } = application.ports;
  const projectionHost = await startProjectionHost({
    eventLog: locations.eventStore,
    readStore: locations.readStore,
    onFailure,
    onAdvance(advances) {
      for (const advance of advances) bus.signal(PROJECTION_ADVANCED, { ...advance });
    },
  });
  const training = startTrainingWork(application);
  const datasets = datasetProcessing(application) as ProcessManager<unknown, unknown>;
  const processManagers = new ProcessManagerHost({ eventStore, managers: [...training.managers, datasets] }).start();
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
    projectionHost,
    healthSources: [
      projectionHealth(projectionHost),
      processManagerHealth(() => processManagers.status()),
      runnerHealth(training.runners),
    ],
    async close() {
      await runner.close();
      await inference.close();
      await processManagers.close();
      await training.close();
      await projectionHost.close();
    },
  };
}
