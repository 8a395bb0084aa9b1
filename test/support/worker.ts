import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Application } from '#application/application.js';
import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { coordinationService, openSqliteCoordination } from '#ports/coordination/sqlite/index.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { FolderObjectStore } from '#ports/object-store/folder/index.js';
import { ProcessManagerHost, type ProcessManagerHostOptions } from '#log/process-manager/host.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import { collectionOf } from '#log/projector/collection.js';
import { projections } from '#projections/index.js';
import { SqliteReadStore } from '#ports/read-store/sqlite/sqlite-read-store.js';

export interface TestWorker {
  /** The application on embedded adapters, with empty read models. */
  readonly application: Application;
  readonly objectStore: FolderObjectStore;
  /** A folder of this worker alone, removed at the end. */
  readonly directory: string;
  /** Starts a worker; several may run at once. */
  run(...managers: readonly object[]): ProcessManagerHost;
  /** Asks whenever the log has grown, until the answer holds. @returns that answer */
  until<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T>;
  /** Stops all that were started. */
  stop(): Promise<void>;
  /** Stops them, too. */
  close(): Promise<void>;
}

/** Opens an application for process managers, in a folder of its own. */
export async function openTestWorker(): Promise<TestWorker> {
  const directory = await mkdtemp(join(tmpdir(), 'anneal-worker-'));
  const eventStore = await openSqliteEventStore({ directory, durability: 'normal' }, [
    coordinationService({ directory, durability: 'normal' }),
  ]);
  const coordination = openSqliteCoordination({ directory, thread: eventStore.thread });
  const objects = { directory: join(directory, 'objects'), signingKeys: [Buffer.alloc(32)], publicUrl: 'http://x' };
  const objectStore = new FolderObjectStore(objects);
  const bus = new InProcessBus();
  const readStore = new SqliteReadStore({ directory: join(directory, 'read') });
  for (const collection of projections.map((projection) => collectionOf(projection))) {
    await readStore.prepare(collection);
    await readStore.activate(collection.name, collection.version);
  }
  const application = new Application({ eventStore, coordination, objectStore, bus, readStore });
  const hosts: ProcessManagerHost[] = [];
  const stop = async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()));
  };
  return {
    application,
    objectStore,
    directory,
    run(...managers) {
      const host = new ProcessManagerHost({
        eventStore,
        managers: managers as unknown as readonly ProcessManager<unknown, unknown>[],
        ...fastClock(),
      }).start();
      hosts.push(host);
      return host;
    },
    async until(ask, holds) {
      const stopping = new AbortController();
      for await (const _ of eventStore.subscribe({ after: null, signal: stopping.signal })) {
        const answer = await ask();
        if (!holds(answer)) continue;
        stopping.abort();
        return answer;
      }
      throw new Error('the log ended');
    },
    stop,
    async close() {
      await stop();
      await application.close();
      await Promise.all([coordination.close(), bus.close(), readStore.close()]);
      await eventStore.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Pauses before another try pass twenty times as fast. */
function fastClock(): Required<Pick<ProcessManagerHostOptions, 'now' | 'timer'>> {
  const begun = Date.now();
  return {
    now: () => begun + 20 * (Date.now() - begun),
    timer(tick) {
      const interval = setInterval(tick, 20);
      return () => clearInterval(interval);
    },
  };
}
