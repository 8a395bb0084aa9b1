import type { Bus } from '#ports/bus/port.js';
import type { Background } from '#primitives/background/background.js';
import type { Coordination } from '#ports/coordination/port.js';
import type { AppendSample } from '#ports/event-store/append-sample.js';
import type { LogFacts } from '#ports/event-store/log-created.js';
import { openStoredEvents } from '#ports/event-store/open.js';
import type { EventStore, LogDamagedError } from '#ports/event-store/port.js';
import { readOnlyStore } from '#ports/event-store/read-only.js';
import type { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { ContentKeys, type ContentKeysLocation } from '#ports/key-store/content-keys.js';
import { isMissing } from '#ports/key-store/open.js';
import { openObjectStore } from '#ports/object-store/open.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { NotBuiltError } from '#ports/read-store/port.js';
import { openQueries, openReadStore } from '#ports/read-store/open.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { SettingsError, type Settings } from '#settings/index.js';
import { startThread } from '#primitives/thread/thread.js';
import { projectDocuments } from '#projections/projects/queries.js';
import { tracesOf, type Locations } from './locations.js';
import type { OpenParts } from './open-parts.js';
import { rememberedLog } from './same-log.js';

/** Facts for the first event of a new log, and callbacks about the ports that are opened. */
interface LogOptions {
  /** Recorded in the first event of a new log. */
  readonly facts: LogFacts;
  readonly onAppend: (sample: AppendSample) => void;
  /** Called when a read finds damage. */
  readonly onDamage: (error: LogDamagedError) => void;
  /** Called when a vital thread has ended unexpectedly. */
  readonly onFailure: (error: Error) => void;
  readonly background?: Background;
}

/**
 * Opens the log and coordination. On SQLite both are written by one thread, `store`; else coordination is opened first, since
 * it remembers whether there was a log.
 * @throws FolderInUseError when another process has the folder
 * @throws LogLostError when the log is missing, and was not before
 */
export async function openLogAndCoordination(
  locations: Locations,
  { durability }: Settings,
  parts: OpenParts,
  options: LogOptions,
): Promise<{ readonly eventStore: EventStore; readonly coordination: Coordination }> {
  const { eventStore, coordination } = locations;
  const { facts, onAppend, onDamage, onFailure, background } = options;
  if (eventStore.adapter === 'sqlite' && coordination.adapter === 'sqlite') {
    const { coordinationService, openSqliteCoordination } = await import('#ports/coordination/sqlite/index.js');
    const { directory } = coordination;
    const log = await openSqliteLog(eventStore, [], [coordinationService({ directory, durability })]);
    return { eventStore: log, coordination: parts.opened(openSqliteCoordination({ directory, thread: log.thread })) };
  }
  const opened = await openCoordination(locations, durability, parts, onFailure, background);
  const remembers = (await rememberedLog(opened)) !== null ? ['coordination remembers one'] : [];
  if (eventStore.adapter === 'sqlite')
    return { eventStore: await openSqliteLog(eventStore, remembers), coordination: opened };
  const { openEventStoreDb } = await import('#ports/event-store/eventstoredb/index.js');
  const { address } = eventStore;
  const log = await usable('ANNEAL_EVENT_STORE', async () =>
    parts.opened(await openEventStoreDb({ address, onAppend, onDamage, facts, remembers })),
  );
  return { eventStore: log, coordination: opened };

  async function openSqliteLog(
    { directory, archive }: Extract<Locations['eventStore'], { readonly adapter: 'sqlite' }>,
    known: readonly string[],
    services: Parameters<typeof openSqliteEventStore>[1] = [],
  ) {
    const { openSqliteEventStore: open } = await import('#ports/event-store/sqlite/index.js');
    const traces = tracesOf(locations);
    return parts.opened(
      await open(
        { directory, archive, durability, facts, traces, remembers: known, onAppend, onDamage, onFailure },
        services,
      ),
    );
  }
}

export async function openCoordination(
  { coordination: location, readStore }: Pick<Locations, 'coordination' | 'readStore'>,
  durability: Settings['durability'],
  parts: OpenParts,
  onFailure: (error: Error) => void,
  background?: Background,
): Promise<Coordination> {
  if (location.adapter === 'mongodb') {
    const { openMongoCoordination } = await import('#ports/coordination/mongodb/index.js');
    const { address } = location;
    return usable(location === readStore ? 'ANNEAL_READ_STORE' : 'ANNEAL_COORDINATION', async () => {
      const there = parts.opened(await openMongoCoordination({ address, ...(background && { background }) }));
      await there.get('start');
      return there;
    });
  }
  const { coordinationService, openSqliteCoordination } = await import('#ports/coordination/sqlite/index.js');
  const { directory } = location;
  const services = [coordinationService({ directory, durability })];
  const thread = parts.opened(await startThread(services, { name: 'coordination', onFailure }));
  return parts.opened(openSqliteCoordination({ directory, thread }));
}

/** The keys of contents, whose store is reached, or not made yet. */
export const openContentKeys = (
  location: ContentKeysLocation,
  parts: OpenParts,
  background?: Background,
): Promise<ContentKeys> =>
  usable('ANNEAL_CONTENT_KEYS', async () => {
    const keys = parts.opened(new ContentKeys(location, background));
    if (!isMissing(location.store)) await keys.storeId();
    return keys;
  });

/**
 * Opens the log of a running system beside it.
 * @param append makes writes that only the running system may make
 */
export async function openPresentLog(
  { eventStore }: Locations,
  append: EventStore['append'],
  parts: OpenParts,
): Promise<EventStore> {
  if (eventStore.adapter === 'sqlite') return parts.opened(readOnlyStore(await openStoredEvents(eventStore), append));
  const { openEventStoreDb } = await import('#ports/event-store/eventstoredb/index.js');
  return usable('ANNEAL_EVENT_STORE', async () =>
    parts.opened(await openEventStoreDb({ address: eventStore.address, remembers: ['its past is asked for'] })),
  );
}

/** Opens the coordination of a running system beside it, for reading. */
export async function openPresentCoordination(locations: Locations, parts: OpenParts): Promise<Coordination> {
  const neverFails = () => undefined;
  const { coordination } = locations;
  if (coordination.adapter === 'mongodb') return openCoordination(locations, 'full', parts, neverFails);
  const { openSqliteCoordination } = await import('#ports/coordination/sqlite/index.js');
  const call = () => Promise.reject(new Error('it is read only here'));
  return parts.opened(openSqliteCoordination({ directory: coordination.directory, thread: { call } }));
}

/** Opens the read store for reading. On SQLite, missing files are created first, because queries need them. */
export async function openReadQueries({ readStore }: Locations, parts: OpenParts): Promise<ReadStoreQueries> {
  if (readStore.adapter === 'sqlite') await (await openReadStore(readStore)).close();
  return usable('ANNEAL_READ_STORE', async () => {
    const queries = parts.opened(await openQueries(readStore));
    await projectDocuments.get(queries, 'start').catch((error: unknown) => {
      // The server answers; a worker builds the collection.
      if (!(error instanceof NotBuiltError)) throw error;
    });
    return queries;
  });
}

export async function openBus({ bus }: Locations, parts: OpenParts): Promise<Bus> {
  if (bus.adapter === 'nats') {
    const { openNatsBus } = await import('#ports/bus/nats/index.js');
    return usable('ANNEAL_BUS', async () => parts.opened(await openNatsBus(bus.address)));
  }
  const { InProcessBus } = await import('#ports/bus/in-process/in-process-bus.js');
  return parts.opened(new InProcessBus());
}

/** Opens the object store for reading and writing. */
export const openObjects = ({ objectStore }: Locations, parts: OpenParts): Promise<ObjectStore> =>
  usable('ANNEAL_OBJECT_STORE', async () => {
    const store = parts.opened(await openObjectStore(objectStore));
    await store.stat('start');
    return store;
  });

/** Opens an object store that can presign: S3 presigns itself, a folder's addresses lead to the API. */
export async function openPresigningObjects(
  locations: Locations,
  parts: OpenParts,
  signing: { readonly signingKeys: readonly Uint8Array[]; readonly publicUrl: string | (() => string) },
): Promise<ObjectStore> {
  const { objectStore } = locations;
  if (objectStore.kind === 's3') return openObjects(locations, parts);
  const { FolderObjectStore } = await import('#ports/object-store/folder/index.js');
  return parts.opened(new FolderObjectStore({ directory: objectStore.directory, ...signing }));
}

/** @throws SettingsError saying in one line why a server cannot be used: its address is wrong, or it is not reached */
async function usable<T>(setting: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const { name, message } = error as Error;
    if (!/(Unavailable|Address|Range|Type)Error$/.test(name)) throw error;
    throw new SettingsError(setting, `cannot be used: ${message.split('\n')[0]}`, { cause: error });
  }
}
