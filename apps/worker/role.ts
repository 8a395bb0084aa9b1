import { randomUUID } from 'node:crypto';
import type { System } from '#apps/composition/compose.js';
import { severalReplicas } from '#apps/composition/locations.js';
import { SOLE } from '#leadership/index.js';
import { startWorker, type Worker } from './start-worker.js';

/** A worker on the ports of this process. Where no other one can be, it leads at once: then this waits until it does. */
export async function startWorkerRole({ application, locations }: System): Promise<Worker> {
  const several = severalReplicas(locations);
  const worker = startWorker({
    application,
    eventLog: locations.eventStore,
    readStore: locations.readStore,
    leases: several ? application.ports.coordination : SOLE,
    holder: `worker-${randomUUID()}`,
    onError: (error, name) => console.error(`leading the ${name} failed, and is begun again:`, error),
  });
  if (several) return worker;
  try {
    await worker.started;
    return worker;
  } catch (error) {
    await worker.close();
    throw error;
  }
}
