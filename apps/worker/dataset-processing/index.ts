import type { Application } from '#application/application.js';
import { ProcessManagerHost } from '#process-manager/host.js';
import type { ProcessManager } from '#process-manager/process-manager.js';
import { datasetProcessing } from './dataset-processing.js';

export { datasetProcessing };

/**
 * Processes uploads as room allows, and what else makes versions. Every worker does, led by none: a lease on each version keeps
 * them apart.
 */
export const startDatasetProcessing = (
  application: Application,
  others: readonly ProcessManager<never, never>[] = [],
): ProcessManagerHost =>
  new ProcessManagerHost({
    eventStore: application.ports.eventStore,
    managers: [datasetProcessing(application), ...others],
  }).start();
