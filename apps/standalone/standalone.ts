import { greetingOf, serveApi } from '#apps/api/serve-api.js';
import { compose, type System } from '#apps/composition/compose.js';
import { severalReplicas } from '#apps/composition/locations.js';
import { auditOf, workOf } from '#apps/composition/work-health.js';
import type { RunningProcess } from '#apps/composition/run-process.js';
import { allOperations } from '#apps/operator/index.js';
import { serveOperations } from '#apps/operator/socket.js';
import { recordSettings } from '#use-cases/operator/settings-record.js';
import type { Settings } from '#settings/index.js';
import { keptGreeting } from '#apps/worker/audit-settings.js';
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
  await recordSettings(system, settings, 'standalone');
  const roles = await startRoles(system);
  system.metrics?.watchProjections(() => roles.projectionHost.status());
  system.metrics?.watchWork(() => workOf(system.bus));
  system.metrics?.watchAudit(() => auditOf(system.bus));
  const api = await serveApi(system, roles.healthSources);
  const operations = allOperations({ ...system, ...roles }, (keyHash) => api.dropKey(keyHash));
  const operator = await serveOperations(settings.dataDir, operations);
  const scan = startScan(system);
  return {
    url: api.url,
    greeting: [...greetingOf(api, system, `with its data in ${settings.dataDir}`), ...keptGreeting(settings)],
    settled: api.settled,
    failure: system.failure,
    async close() {
      await scan.close();
      await operator.close();
      await api.close();
      await roles.close();
      await system.close();
    },
  };
}

/** A tenth of a core. */
const PAUSE_SHARE = 9;

/**
 * Reads the whole log once, slowly, so that `/health` reports damage before a request meets it. Servers check their own
 * files.
 */
function startScan({ application, locations }: System): { close(): Promise<void> } {
  if (severalReplicas(locations)) return { close: async () => undefined };
  const ending = new AbortController();
  const scan = async () => {
    const { signal } = ending;
    // The log's health records damage as the check meets it.
    for await (const _ of application.ports.eventStore.check({ signal, pauseShare: PAUSE_SHARE }));
  };
  const scanning = application.background.once('check-event-log', scan());
  return {
    close: () => {
      ending.abort();
      return scanning;
    },
  };
}
