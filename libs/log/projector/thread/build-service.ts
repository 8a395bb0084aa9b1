import { openEventReader } from '#ports/event-store/open.js';
import { ProjectionRunner, type AbsorbedTo } from '../runner.js';
import { openReadStore } from '#ports/read-store/open.js';
import type { CreateService } from '#primitives/thread/service.js';
import { projectionsOf, type ProjectionLocations } from './locations.js';

/** Events in one transaction. */
const BATCH = 2_000;

/** Takes one projection through history in a dedicated thread. */
export const createService: CreateService<ProjectionLocations> = async (locations, { emit }) => {
  const projections = await projectionsOf(locations);
  const eventStore = await openEventReader(locations.eventLog, locations.contentKeys);
  const readStore = await openReadStore(locations.readStore);
  const stopping = new AbortController();

  const build = async (name: unknown, generation: number) => {
    const projection = projections.find((candidate) => candidate.name === name);
    if (!projection) throw new RangeError(`there is no projection ${JSON.stringify(name)}`);
    const onProgress = ({ position, occurredAt }: AbsorbedTo) => emit('progress', { position, occurredAt });
    const runner = new ProjectionRunner(projection, { eventStore, readStore, onProgress }, generation);
    await runner.open();
    await runner.catchUp(stopping.signal, BATCH);
    await runner.flush();
  };

  return {
    handle(method, [name, generation]) {
      if (method === 'build') return build(name, generation as number);
      if (method === 'stop') return stopping.abort();
      throw new Error(`the build thread has no method ${method}`);
    },
    async close() {
      stopping.abort();
      await Promise.all([eventStore.close(), readStore.close()]);
    },
  };
};
