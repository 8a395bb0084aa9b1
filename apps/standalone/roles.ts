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
import type { Embedded } from './compose.js';
import { processManagerHealth, runnerHealth } from './health-sources.js';

export interface Roles {
  readonly healthSources: readonly HealthSource[];
  close(): Promise<void>;
}

/** What works beside the API: process managers, and the runner that trains and serves. */
export function startRoles({ application }: Embedded, settings: Settings): Roles {
  const { bus, eventStore, objectStore } = application.ports;
  const training = startTrainingWork(application);
  const datasets = datasetProcessing(application) as ProcessManager<unknown, unknown>;
  const processManagers = new ProcessManagerHost({ eventStore, managers: [...training.managers, datasets] }).start();
  const runner = startRunner({
    bus,
    name: 'standalone',
    objectStore: { kind: 'folder', directory: join(settings.dataDir, 'objects') },
    workDirectory: join(settings.dataDir, 'runner'),
  });
  const inference = serveInference({
    bus,
    objectStore,
    cacheDirectory: join(settings.dataDir, 'cache', 'adapters'),
    baseDirectories: BASE_MODELS,
  });
  return {
    healthSources: [processManagerHealth(() => processManagers.status()), runnerHealth(training.runners)],
    async close() {
      await runner.close();
      await inference.close();
      await processManagers.close();
      await training.close();
    },
  };
}
