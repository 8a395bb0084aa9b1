import { compose } from '#apps/composition/compose.js';
import { requireShared } from '#apps/composition/locations.js';
import type { RunningProcess } from '#apps/composition/run-process.js';
import { auditOf, workHealth, workOf } from '#apps/composition/work-health.js';
import { projectionsOverBus } from '#log/projector/over-bus.js';
import { recordSettings } from '#use-cases/operator/settings-record.js';
import type { Settings } from '#settings/index.js';
import { greetingOf, serveApi } from './serve-api.js';

/**
 * `npm run start:api`: the HTTP API alone. Any number may run.
 * @throws SettingsError when a port is not on a server that processes share
 */
export async function startApiProcess(settings: Settings): Promise<RunningProcess> {
  requireShared(settings, ['eventStore', 'readStore', 'coordination', 'contentKeys', 'bus', 'objectStore']);
  const system = await compose(settings);
  await recordSettings(system, settings, 'api');
  const projections = projectionsOverBus(system.bus);
  system.metrics?.watchProjections(() => projections.status());
  system.metrics?.watchWork(() => workOf(system.bus));
  system.metrics?.watchAudit(() => auditOf(system.bus));
  const api = await serveApi(system, workHealth(system.bus, system.application.visibility));
  return {
    greeting: greetingOf(api, system, 'and needs a worker and a runner beside it'),
    settled: api.settled,
    failure: system.failure,
    async close() {
      await api.close();
      await system.close();
    },
  };
}
