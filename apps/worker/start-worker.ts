import type { Application } from '#application/application.js';
import { lead, type Leadership, type LeadershipStatus, type LeaseOptions } from '#leadership/index.js';
import type { ProcessManagerStatus } from '#process-manager/running-manager.js';
import { PROJECTIONS_MODULE } from '#projections/index.js';
import type { Generators } from '#synthetic-data/generators.js';
import { startReclaiming } from './billing/index.js';
import { startDatasetProcessing } from './dataset-processing/index.js';
import { generationJobs } from './generation/generation-jobs.js';
import { hubImports, type HubWork } from './hub/hub-imports.js';
import { datasetMerges } from './merge/dataset-merges.js';
import { startLedProcessManagers } from './process-managers.js';
import { startLedProjections } from './led-projections.js';
import type { ProjectionLocations } from '#projector/thread/locations.js';
import { projectionsOverBus } from '#projector/over-bus.js';
import { serveRunners } from './training/index.js';

export interface WorkerOptions extends Omit<ProjectionLocations, 'projections'>, Omit<LeaseOptions, 'name'> {
  readonly application: Application;
  /** Without it no datasets are fetched from a hub. */
  readonly hubWork?: HubWork;
  /** Without them no synthetic rows are made. */
  readonly generators?: Generators;
  /** What went wrong with what this worker leads; it is begun again, here or elsewhere. */
  readonly onError?: (error: unknown, name: LedName) => void;
}

/** What one worker at a time does. */
export type LedName = 'projections' | 'process-managers';

export interface Worker {
  /** Settles when this worker has first begun all that is led, which may be never where there are others. */
  readonly started: Promise<void>;
  leaderships(): readonly LeadershipStatus[];
  /** Of what every worker does, led by none. */
  datasetProcessing(): readonly ProcessManagerStatus[];
  /** After the runners of this process: they report until then. */
  close(): Promise<void>;
}

/**
 * What works behind the API: it answers the runners and processes uploads, as any number of workers may at once, and
 * campaigns to lead the projections and the process managers, each apart.
 */
export function startWorker(options: WorkerOptions): Worker {
  const { application, eventLog, readStore, hubWork, generators, onError, ...lease } = options;
  const { bus } = application.ports;
  const locations = { eventLog, readStore, projections: PROJECTIONS_MODULE };
  const serving = serveRunners(application);
  const imports = hubWork ? [hubImports(application, hubWork) as never] : [];
  const generation = generators ? [generationJobs(application, generators) as never] : [];
  const processing = startDatasetProcessing(application, [
    datasetMerges(application) as never,
    ...imports,
    ...generation,
  ]);
  const reclaiming = startReclaiming(application, () => projectionsOverBus(bus).status());
  const led = (name: LedName, work: Parameters<typeof lead>[1]): Leadership =>
    lead({ ...lease, name, ...(onError && { onError: (error) => onError(error, name) }) }, work);
  const leaderships = [
    led('process-managers', async () => startLedProcessManagers(application)),
    led('projections', () => startLedProjections(bus, locations)),
  ];
  const started = Promise.all(leaderships.map((leadership) => leadership.started)).then(() => undefined);
  // Nobody may be waiting for it.
  started.catch(() => undefined);
  return {
    started,
    leaderships: () => leaderships.map((leadership) => leadership.status()),
    datasetProcessing: () => processing.status(),
    async close() {
      await Promise.all([reclaiming, processing, ...leaderships].map((part) => part.close()));
      await serving.stop();
    },
  };
}
