import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { allOperations } from '#apps/operator/index.js';
import { OperationError, type Operations } from '#apps/operator/operation.js';
import { compose } from '#apps/composition/compose.js';
import { startProjectionHost } from '#apps/worker/projection-host/start.js';
import type { Settings } from '#settings/index.js';

/** The operations on a folder that no system has open. Holds its lock until closed. */
export async function openOffline(settings: Settings): Promise<{ operations: Operations; close(): Promise<void> }> {
  // Looking into a folder by a mistyped name must not make one.
  if (!existsSync(join(settings.dataDir, 'log.db')))
    throw new OperationError(`${settings.dataDir} holds no system: start one with npm start, or set ANNEAL_DATA_DIR`);
  const system = await compose(settings);
  const projectionHost = await startProjectionHost({
    eventLog: system.locations.eventStore,
    readStore: system.locations.readStore,
  });
  return {
    operations: allOperations({ ...system, projectionHost }),
    async close() {
      await projectionHost.close();
      await system.close();
    },
  };
}
