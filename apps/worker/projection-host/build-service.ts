import { openEventReader } from '#event-store/open.js';
import { ProjectionRunner } from '#projection/runner.js';
import { openReadStore } from '#read-store/open.js';
import type { CreateService } from '#sqlite-thread/service.js';
import type { ProjectionLocations } from './locations.js';
import { projectionsOf } from './projections-of.js';

/** Events in one transaction. */
const BATCH = 2_000;

/** Takes one projection through history, in a thread that does nothing else. */
export const createService: CreateService<ProjectionLocations> = async (locations, { emit }) => {
  const projections = await projectionsOf(locations);
  const eventStore = await openEventReader(locations.eventLog);
  const readStore = await openReadStore(locations.readStore);
  const stopping = new AbortController();

  const build = async (name: unknown) => {
    const projection = projections.find((candidate) => candidate.name === name);
    if (!projection) throw new RangeError(`there is no projection ${JSON.stringify(name)}`);
    const runner = new ProjectionRunner(projection, {
      eventStore,
      readStore,
      onProgress: ({ position, occurredAt }) => emit('progress', { position, occurredAt }),
    });
    await runner.open();
    await runner.catchUp(stopping.signal, BATCH);
    await runner.flush();
  };

  return {
    handle(method, [name]) {
      if (method === 'build') return build(name);
      if (method === 'stop') return stopping.abort();
      throw new Error(`the build thread has no method ${method}`);
    },
    async close() {
      stopping.abort();
      await Promise.all([eventStore.close(), readStore.close()]);
    },
  };
};
