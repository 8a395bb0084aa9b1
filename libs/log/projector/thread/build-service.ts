import { openEventReader } from '#ports/event-store/open.js';
import { ProjectionRunner, type AbsorbedTo } from '../runner.js';
import { openReadStore } from '#ports/read-store/open.js';
import type { CreateService } from '#primitives/thread/service.js';
import { SharedReading } from '../shared-reading.js';
import { projectionsOf, type ProjectionLocations } from './locations.js';

export interface BuildProgress extends AbsorbedTo {
  /** The number that the caller gave the build. */
  readonly id: number;
}

/** Events in one transaction. */
const BATCH = 2_000;

/** Takes projections through history in a dedicated thread. */
export const createService: CreateService<ProjectionLocations> = async (locations, { emit }) => {
  const projections = await projectionsOf(locations);
  const eventStore = await openEventReader(locations.eventLog, locations.contentKeys);
  const history = new SharedReading(eventStore);
  const readStore = await openReadStore(locations.readStore);
  const running = new Map<number, AbortController>();

  const build = async (id: number, name: unknown, generation: number) => {
    const projection = projections.find((candidate) => candidate.name === name);
    if (!projection) throw new RangeError(`there is no projection ${JSON.stringify(name)}`);
    const onProgress = ({ position, occurredAt }: AbsorbedTo) =>
      emit('progress', { id, position, occurredAt } satisfies BuildProgress);
    const runner = new ProjectionRunner(projection, { eventStore, history, readStore, onProgress }, generation);
    const stopping = new AbortController();
    running.set(id, stopping);
    try {
      await runner.open();
      await runner.catchUp(stopping.signal, BATCH);
      await runner.flush();
    } finally {
      running.delete(id);
    }
  };

  return {
    handle(method, [id, name, generation]) {
      if (method === 'build') return build(id as number, name, generation as number);
      if (method === 'stop') return running.get(id as number)?.abort();
      throw new Error(`the build thread has no method ${method}`);
    },
    async close() {
      for (const stopping of running.values()) stopping.abort();
      await Promise.all([eventStore.close(), readStore.close()]);
    },
  };
};
