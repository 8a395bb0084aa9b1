import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compose, type System } from '#apps/composition/compose.js';
import { locationsOf, tracesOf } from '#apps/composition/locations.js';
import { eventOperations } from '#apps/operator/events.js';
import { allOperations } from '#apps/operator/index.js';
import { OperationError, type Operations } from '#apps/operator/operation.js';
import { projectionsOverBus } from '#log/projector/over-bus.js';
import { startProjectionHost } from '#log/projector/thread/start.js';
import { OpeningReader } from '#ports/event-store/sealing.js';
import { holdsLogFile, openSqliteEventReader, presentOf } from '#ports/event-store/sqlite/index.js';
import { ContentKeys } from '#ports/key-store/content-keys.js';
import { isMissing } from '#ports/key-store/open.js';
import { decodeSecret, givenSecret, previousSecret } from '#primitives/secrets/index.js';
import { PROJECTIONS_MODULE } from '#projections/index.js';
import { API_PORT, Settings } from '#settings/index.js';

export interface Opened {
  readonly operations: Operations;
  close(): Promise<void>;
}

/** The operations on a system of several processes: this process connects to the same servers. */
export async function openBeside(settings: Settings): Promise<Opened> {
  const system = await composed(settings);
  const operations = allOperations({ ...system, projectionHost: projectionsOverBus(system.bus) });
  return { operations, close: () => system.close() };
}

/** The operations on a folder that no system has open. Holds its lock until closed. */
export async function openOffline(settings: Settings): Promise<Opened> {
  requireSystem(settings);
  const system = await composed(settings);
  const { contentKeys, locations } = system;
  const { eventStore: eventLog, readStore } = locations;
  const projections = PROJECTIONS_MODULE;
  const projectionHost = await startProjectionHost({ eventLog, contentKeys, readStore, projections });
  return {
    operations: allOperations({ ...system, projectionHost }),
    async close() {
      await projectionHost.close();
      await system.close();
    },
  };
}

/**
 * The operations that read the log of a folder that no system has open. They write nothing, and show a log that a start refuses.
 * @returns null if the folder has no log
 */
export function openReader(settings: Settings): Opened | null {
  const { eventStore, contentKeys: store } = locationsOf(settings);
  if (eventStore.adapter !== 'sqlite' || !holdsLogFile(eventStore.directory)) return null;
  const stored = openSqliteEventReader(eventStore);
  const { dataDir, secretKey, secretKeyPrevious } = settings;
  const secrets = [givenSecret(dataDir, secretKey), previousSecret(dataDir, secretKeyPrevious)];
  const wrappingKeys = secrets.flatMap((given) => (given ? [decodeSecret(given.text).derive('content-keys')] : []));
  const isReadable = wrappingKeys.length > 0 && !isMissing(store);
  const reader = isReadable ? new OpeningReader(stored, new ContentKeys({ store, wrappingKeys })) : stored;
  return {
    operations: eventOperations(reader, (options) => stored.check(options)),
    close: () => reader.close(),
  };
}

/**
 * Checks before opening, because opening would create a folder whose name was mistyped.
 * @throws OperationError when the folder contains no system, nor remains of one
 */
export function requireSystem(settings: Settings): void {
  const { dataDir } = settings;
  if (!existsSync(join(dataDir, 'log.db')) && presentOf(tracesOf(locationsOf(settings))).length === 0)
    throw new OperationError(
      `${dataDir} holds no system: start one with npm start, or set ANNEAL_DATA_DIR to its folder`,
    );
}

/** Whether the system of these settings may be open in another process at the same time, which is reached over the bus. */
export const isShared = (settings: Settings): boolean => locationsOf(settings).bus.adapter !== 'in-process';

async function composed(settings: Settings): Promise<System> {
  const system = await compose(quietly(settings));
  // Links contain the address where an API with these settings listens.
  system.publicAddress.listensOn(settings.host, settings.port ?? API_PORT);
  return system;
}

/** Serves no metrics, because the running system uses the port, and logs nothing, because standard output is the command's. */
const quietly = (settings: Settings): Settings => new Settings({ ...settings, metricsPort: null, logLevel: 'silent' });
