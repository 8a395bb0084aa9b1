import type { HealthSource } from '#primitives/health/health.js';
import type { System } from '#apps/composition/compose.js';
import { severalReplicas } from '#apps/composition/locations.js';
import { startRunnerRole, type ServingOptions } from '#apps/runner/role.js';
import { takeSlot } from '#apps/runner/runner-slot.js';
import { datasetProcessingHealth, workHealth } from '#apps/composition/work-health.js';
import { projectionsOverBus } from '#log/projector/over-bus.js';
import type { Projections } from '#log/projector/thread/start.js';
import { startWorkerRole } from '#apps/worker/role.js';
import { startScheduledBackups } from './scheduled-backups.js';

export interface Roles {
  readonly projectionHost: Projections;
  readonly healthSources: readonly HealthSource[];
  close(): Promise<void>;
}

/** Starts a worker, a runner and the scheduled backups beside the API. */
export async function startRoles(system: System, serving: ServingOptions = {}): Promise<Roles> {
  const { bus, settings, locations } = system;
  // On servers it may be one of several processes, and its runner then needs its own name and folder.
  const slot = severalReplicas(locations) ? await takeSlot(settings) : null;
  const worker = await startWorkerRole(system);
  const runner = startRunnerRole(system, {
    ...(slot ? { name: slot.name, directory: slot.directory } : { name: 'standalone', directory: settings.dataDir }),
    ...serving,
  });
  const backups = startScheduledBackups(system);
  return {
    projectionHost: projectionsOverBus(bus),
    healthSources: [
      ...workHealth(bus, system.application.visibility),
      datasetProcessingHealth(() => worker.datasetProcessing()),
      ...backups.healthSources,
    ],
    async close() {
      await backups.close();
      await runner.close();
      await worker.close();
      slot?.release();
    },
  };
}
