import { randomUUID } from 'node:crypto';
import type { System } from '#apps/composition/compose.js';
import { severalReplicas } from '#apps/composition/locations.js';
import { openEgress } from '#primitives/egress/index.js';
import { Hub } from '#hub/index.js';
import { SOLE } from '#log/leadership/index.js';
import { openGenerators } from './process-managers/generation-jobs/open-generators.js';
import { startWorker, type Worker } from './start-worker.js';

/** A worker on the ports of this process. Where no other one can be, it leads at once: then this waits until it does. */
export async function startWorkerRole({ application, locations, settings, secret, engines }: System): Promise<Worker> {
  const several = severalReplicas(locations);
  const { hubUrl, uploadMaxBytes: maxBytes } = settings;
  const egress = openEgress({ trusted: [hubUrl] });
  const makers = openGenerators(application, settings, secret, engines);
  const started = startWorker({
    application,
    generators: makers.generators,
    hubWork: { hub: new Hub(hubUrl, egress), secret, maxBytes },
    eventLog: locations.eventStore,
    readStore: locations.readStore,
    leases: several ? application.ports.coordination : SOLE,
    holder: `worker-${randomUUID()}`,
    onError: (error, name) => console.error(`leading the ${name} failed, and is begun again:`, error),
  });
  const worker: Worker = {
    ...started,
    async close() {
      await started.close();
      await egress.close();
      await makers.close();
    },
  };
  if (several) return worker;
  try {
    await worker.started;
    return worker;
  } catch (error) {
    await worker.close();
    throw error;
  }
}
