import { join } from 'node:path';
import type { EventLogLocation } from '#ports/event-store/open.js';
import type { KeyStoreLocation } from '#ports/key-store/open.js';
import type { ObjectStoreAddress } from '#ports/object-store/open.js';
import type { ReadStoreLocation } from '#ports/read-store/open.js';
import { SettingsError, type BusAddress, type Settings } from '#settings/index.js';

/** The adapter and address of each port. */
export interface Locations {
  readonly eventStore: EventLogLocation;
  readonly readStore: ReadStoreLocation;
  readonly coordination: ReadStoreLocation;
  /** Kept out of the backups of the other stores. */
  readonly contentKeys: KeyStoreLocation;
  readonly bus: BusAddress;
  readonly objectStore: ObjectStoreAddress;
}

/** The locations from the settings; defaults are in the data folder and in process. */
export function locationsOf(settings: Settings): Locations {
  const { dataDir } = settings;
  const shared = settings.readStore?.adapter === 'mongodb' ? settings.readStore : null;
  const coordination = settings.coordination ?? shared ?? { adapter: 'sqlite', directory: dataDir };
  const eventStore = settings.eventStore ?? { adapter: 'sqlite', directory: dataDir };
  const objectStore = settings.objectStore ?? { kind: 'folder', directory: join(dataDir, 'objects') };
  return {
    eventStore: eventStore.adapter === 'sqlite' ? { ...eventStore, archive: objectStore } : eventStore,
    readStore: settings.readStore ?? { adapter: 'sqlite', directory: join(dataDir, 'read') },
    coordination,
    contentKeys: settings.contentKeys ?? besideCoordination(coordination),
    bus: settings.bus ?? { adapter: 'in-process' },
    objectStore,
  };
}

const besideCoordination = (coordination: ReadStoreLocation): KeyStoreLocation =>
  coordination.adapter === 'mongodb'
    ? coordination
    : { adapter: 'sqlite', directory: join(coordination.directory, 'keys') };

/** Files and folders that are created only after the log. */
export function tracesOf({ readStore, coordination, objectStore }: Locations): readonly string[] {
  return [
    ...(coordination.adapter === 'sqlite' ? [join(coordination.directory, 'coordination.db')] : []),
    ...(readStore.adapter === 'sqlite' ? [readStore.directory] : []),
    ...(objectStore.kind === 'folder' ? [objectStore.directory] : []),
  ];
}

/** Whether other processes may share the log; this one then sees their changes with a delay. */
export const severalReplicas = ({ eventStore }: Locations): boolean => eventStore.adapter !== 'sqlite';

const SHARED = {
  eventStore: ['ANNEAL_EVENT_STORE', 'esdb://HOST:2113'],
  readStore: ['ANNEAL_READ_STORE', 'mongodb://HOST:27017/DATABASE'],
  coordination: ['ANNEAL_COORDINATION', 'mongodb://HOST:27017/DATABASE'],
  contentKeys: ['ANNEAL_CONTENT_KEYS', 'mongodb://HOST:27017/DATABASE'],
  bus: ['ANNEAL_BUS', 'nats://HOST:4222'],
  objectStore: ['ANNEAL_OBJECT_STORE', 's3://BUCKET/PREFIX?region=..., or file:FOLDER that all of them share'],
} as const;

/**
 * Processes of one role each share nothing but servers.
 * @throws SettingsError naming the first port that is not on one
 */
export function requireShared(settings: Settings, ports: readonly (keyof typeof SHARED)[]): void {
  const locations = locationsOf(settings);
  for (const port of ports) {
    const location = locations[port];
    const isShared = 'address' in location || (port === 'objectStore' && settings.objectStore !== null);
    const [name, forms] = SHARED[port];
    if (!isShared)
      throw new SettingsError(
        name,
        `does not name a server, but separate processes need one; give ${forms}, or run npm start`,
      );
  }
}
