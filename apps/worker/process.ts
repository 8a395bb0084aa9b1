import { compose } from '#apps/composition/compose.js';
import { requireShared } from '#apps/composition/locations.js';
import { OpenParts } from '#apps/composition/open-parts.js';
import type { RunningProcess } from '#apps/composition/run-process.js';
import { serveHealth } from '#primitives/health/serve.js';
import { recordSettings } from '#use-cases/operator/settings-record.js';
import type { Settings } from '#settings/index.js';
import { datasetProcessingHealth, leadershipHealth } from '#apps/composition/work-health.js';
import { keptGreeting } from './audit-settings.js';
import { startWorkerRole } from './role.js';

/**
 * `npm run start:worker`: projections, process managers and dataset processing. Any number may run; one at a time leads.
 * @throws SettingsError when a port is not on a server that processes share
 */
export async function startWorkerProcess(settings: Settings): Promise<RunningProcess> {
  requireShared(settings, ['eventStore', 'readStore', 'coordination', 'contentKeys', 'bus', 'objectStore']);
  const system = await compose(settings);
  const parts = new OpenParts();
  parts.opened(system);
  await recordSettings(system, settings, 'worker');
  const worker = parts.opened(await startWorkerRole(system));
  system.metrics?.watchLeaderships(() => worker.leaderships());
  const healthSources = [
    ...system.healthSources,
    leadershipHealth(() => worker.leaderships()),
    datasetProcessingHealth(() => worker.datasetProcessing()),
    worker.modelFilesHealth,
  ];
  const { host, port } = settings;
  if (port !== null) parts.opened(await serveHealth(healthSources, { host, port }));
  return {
    greeting: [
      'A worker is at work; one at a time leads the projections and the process managers.',
      ...keptGreeting(settings),
    ],
    failure: system.failure,
    close: () => parts.close(),
  };
}
