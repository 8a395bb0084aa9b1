import { openEventReader } from '#ports/event-store/open.js';
import { ProjectionHost } from '../host.js';
import { openReadStore } from '#ports/read-store/open.js';
import type { CreateService } from '#primitives/thread/service.js';
import { buildInThread } from './build-in-thread.js';
import { projectionsOf, type HostSetup } from './locations.js';

/** The projection host in the thread `read`, the only writer of documents except for builds aside. */
export const createService: CreateService<HostSetup> = async ({ farBehind, only, ...locations }, { emit }) => {
  const all = await projectionsOf(locations);
  const projections = only ? all.filter(({ name }) => only.includes(name)) : all;
  const eventStore = await openEventReader(locations.eventLog, locations.contentKeys);
  const readStore = await openReadStore(locations.readStore, { removeOrphans: true });
  const host = new ProjectionHost({
    eventStore,
    readStore,
    projections,
    buildAside: buildInThread(locations),
    farBehind,
    onAdvance: (advances) => emit('advanced', advances),
    onStopped: (projection, { message }) => emit('stopped', { projection, message }),
    onTrouble: ({ message }) => emit('trouble', message),
  }).start();
  return {
    handle(method, [name, key]) {
      switch (method) {
        case 'begun':
          return host.begun();
        case 'status':
          return host.status();
        case 'parked':
          return host.parked();
        case 'rebuild':
          return host.rebuild(name as string);
        case 'clear':
          return host.clear(name as readonly string[]);
        case 'retry':
          return host.retry(name as string, key as string | undefined);
        default:
          throw new Error(`the projection host has no method ${method}`);
      }
    },
    async close() {
      await host.close();
      await Promise.all([eventStore.close(), readStore.close()]);
    },
  };
};
