import { greetingOf, serveApi } from '#apps/api/serve-api.js';
import { compose } from '#apps/composition/compose.js';
import type { RunningProcess } from '#apps/composition/run-process.js';
import { allOperations } from '#apps/operator/index.js';
import { serveOperations } from '#apps/operator/socket.js';
import type { Settings } from '#settings/index.js';
import { startRoles } from './roles.js';
import { startScan } from './scan.js';

export interface Standalone extends RunningProcess {
  readonly url: string;
}

/**
 * Starts every role in one process.
 * @throws FolderInUseError when another process has the data folder
 */
export async function startStandalone(settings: Settings): Promise<Standalone> {
  const system = await compose(settings);
  const roles = await startRoles(system);
  system.metrics?.watchProjections(() => roles.projectionHost.status());
  const api = await serveApi(system, roles.healthSources);
  const operations = allOperations({ ...system, ...roles }, (keyHash) => api.dropKey(keyHash));
  const operator = await serveOperations(settings.dataDir, operations);
  const scan = startScan(system);
  return {
    url: api.url,
    greeting: greetingOf(api, system, `with its data in ${settings.dataDir}`),
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
