import { randomUUID } from 'node:crypto';
import type { System } from '#apps/composition/compose.js';
import { severalReplicas } from '#apps/composition/locations.js';
import type { HealthSource } from '#primitives/health/health.js';
import { openEgress } from '#primitives/egress/index.js';
import { builtInGenerator } from '#rows/synthetic/built-in/index.js';
import { decoderGenerator } from '#rows/synthetic/decoder/index.js';
import { Generators } from '#rows/synthetic/generators.js';
import { Hub } from '#models/hub/index.js';
import { SOLE } from '#log/leadership/index.js';
import { openUseCases } from '#use-cases/open.js';
import { auditSettings } from './audit-settings.js';
import { startWorker, type Worker } from './start-worker.js';

export interface WorkerRole extends Worker {
  readonly modelFilesHealth: HealthSource;
}

/**
 * A worker on the ports of this process. If no other worker is possible, it leads at once: then this waits until it
 * does.
 */
export async function startWorkerRole({
  application,
  locations,
  settings,
  secret,
  contentKeys,
  engines,
  metrics,
}: System): Promise<WorkerRole> {
  const several = severalReplicas(locations);
  const { hubUrl, uploadMaxBytes: maxBytes, webhookOrigins } = settings;
  const egress = openEgress({ trusted: [hubUrl] });
  const webhookEgress = openEgress({ trusted: webhookOrigins });
  const useCases = await openUseCases({ application, settings, secret, engines, metrics });
  const { decoders } = useCases;
  const started = startWorker({
    application,
    useCases,
    generators: new Generators(builtInGenerator, (modelId) => decoderGenerator(decoders, modelId)),
    hubWork: { hub: new Hub(hubUrl, egress), secret, maxBytes },
    webhookWork: { egress: webhookEgress, secret },
    auditWork: {
      ...{ secret, objectStore: locations.objectStore },
      ...auditSettings(settings),
    },
    eventLog: locations.eventStore,
    contentKeys,
    readStore: locations.readStore,
    leases: several ? application.ports.coordination : SOLE,
    holder: `worker-${randomUUID()}`,
    onError: (error, name) => application.background.failed(`lead-${name}`, error),
  });
  const worker: WorkerRole = {
    ...started,
    modelFilesHealth: useCases.modelFiles.health,
    async close() {
      await started.close();
      await egress.close();
      await webhookEgress.close();
      await useCases.close();
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
