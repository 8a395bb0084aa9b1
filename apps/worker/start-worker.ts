import { createHash } from 'node:crypto';
import type { Application } from '#application/application.js';
import { lead, SOLE, type Leadership, type LeadershipStatus, type LeaseOptions } from '#log/leadership/index.js';
import type { ProcessManagerStatus } from '#log/process-manager/running-manager.js';
import { projections, PROJECTIONS_MODULE } from '#projections/index.js';
import { serveRunners } from '#use-cases/attempts/serve.js';
import { startReclaiming } from '#use-cases/billing/work/reclaiming.js';
import { startInterruptingHeld } from '#use-cases/calls/work/interrupted-calls/held-calls.js';
import { startLedAudit, type AuditNeeds } from './led-audit.js';
import { startLedProcessManagers, startManagers } from './led-process-managers.js';
import { sharedProcessManagers, type ProcessManagerNeeds } from '#use-cases/process-managers.js';
import { startLedProjections } from './led-projections.js';
import { startProjectionsBeside } from './projections-beside.js';
import { collectionNameOf } from '#log/projector/collection.js';
import type { ProjectionLocations } from '#log/projector/thread/locations.js';
import { projectionsOverBus } from '#log/projector/over-bus.js';

interface WorkerOptions
  extends Omit<ProjectionLocations, 'projections'>, ProcessManagerNeeds, Omit<LeaseOptions, 'name'> {
  readonly application: Application;
  /** Default: no audit tree is kept. */
  readonly auditWork?: Omit<AuditNeeds, 'eventLog'>;
  /** Called when led work fails; the work is started again, here or elsewhere. */
  readonly onError?: (error: unknown, name: LedName) => void;
}

/** The kinds of work that one worker at a time does. */
type LedName = 'projections' | 'process-managers' | 'audit';

/** The lease of the workers of a release that run other versions of projections than the leader does. */
const BESIDE = `projections-beside-${createHash('sha256').update(projections.map(collectionNameOf).join()).digest('hex').slice(0, 16)}`;

export interface Worker {
  /** Resolves once this worker has started every process it leads. Never resolves while other workers hold the leases. */
  readonly started: Promise<void>;
  leaderships(): readonly LeadershipStatus[];
  /** The work that every worker does. */
  datasetProcessing(): readonly ProcessManagerStatus[];
  /** Closes the worker. Close the runners of this process first; they report until then. */
  close(): Promise<void>;
}

/**
 * The work behind the API: serves runners and processes uploads in any number of workers, and campaigns to lead the
 * projections and the process managers, each separately.
 */
export function startWorker(options: WorkerOptions): Worker {
  const {
    application,
    eventLog,
    contentKeys,
    readStore,
    hubWork,
    generators,
    useCases,
    webhookWork,
    auditWork,
    onError,
    ...lease
  } = options;
  const { bus } = application.ports;
  const locations = { eventLog, readStore, projections: PROJECTIONS_MODULE, ...(contentKeys && { contentKeys }) };
  const serving = serveRunners(application);
  const managers = sharedProcessManagers(application, { hubWork, generators, useCases });
  const processing = startManagers(application, managers);
  const reclaiming = startReclaiming(application, () => projectionsOverBus(bus).status());
  const interrupting = startInterruptingHeld(application);
  const led = (name: LedName, work: Parameters<typeof lead>[1]): Leadership =>
    lead({ ...lease, name, ...(onError && { onError: (error) => onError(error, name) }) }, work);
  const leaderships = [
    led('process-managers', async () => startLedProcessManagers(application, { useCases, webhookWork })),
    led('projections', (over) => startLedProjections(bus, locations, application.background, over)),
  ];
  // A sole process is of one release.
  const beside =
    lease.leases === SOLE
      ? null
      : lead({ ...lease, name: BESIDE }, async () => startProjectionsBeside(bus, locations, application.background));
  // Closed last, so that the last checkpoint covers the events that the others still append.
  const audit = auditWork && led('audit', () => startLedAudit(application, { ...auditWork, eventLog }));
  const started = Promise.all(leaderships.map((leadership) => leadership.started)).then(() => undefined);
  // Keeps the rejection from being unhandled before anyone awaits it.
  started.catch(() => undefined);
  return {
    started,
    leaderships: () => [...leaderships, ...(audit ? [audit] : [])].map((leadership) => leadership.status()),
    datasetProcessing: () => processing.status(),
    async close() {
      await Promise.all(
        [interrupting, reclaiming, processing, ...leaderships, ...(beside ? [beside] : [])].map((part) => part.close()),
      );
      await serving.stop();
      await audit?.close();
    },
  };
}
