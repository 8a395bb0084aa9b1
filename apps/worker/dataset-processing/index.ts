import type { Application } from '#application/application.js';
import { ProcessManagerHost } from '#process-manager/host.js';
import { datasetProcessing } from './dataset-processing.js';

export { datasetProcessing };

/** Processes uploads as room allows. Every worker does, led by none: a lease on each version keeps them apart. */
export const startDatasetProcessing = (application: Application): ProcessManagerHost =>
  new ProcessManagerHost({
    eventStore: application.ports.eventStore,
    managers: [datasetProcessing(application)],
  }).start();
