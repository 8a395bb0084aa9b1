import type { Ports } from '#application/ports.js';
import type { Logger } from '#primitives/logging/logger.js';
import type { HealthReport, HealthSource } from '#primitives/health/health.js';
import { callOnce, NoServerError, type Bus } from '#ports/bus/port.js';
import type { ContentKeys } from '#ports/key-store/content-keys.js';
import { within } from '#primitives/waiting/within.js';
import { LogReplacedError, type EventStore, type LogDamagedError } from '#ports/event-store/port.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { damagedObjects } from '#ports/object-store/whole.js';
import { MARK } from '#ports/object-store/mark.js';
import { projectDocuments } from '#projections/projects/queries.js';

const MAX_PLACES = 1_000;

/** Remembers the place of damage in the log. */
export class LogHealth {
  /** Problems by the position of their event; one without a known position stands under itself. */
  private readonly problems = new Map<string, string>();

  /** @param logger logs each damaged place once */
  constructor(private readonly logger: Pick<Logger, 'error'>) {}

  damaged(error: LogDamagedError): void {
    const place = error.position ?? error.problem;
    if (this.problems.has(place) || this.problems.size >= MAX_PLACES) return;
    this.problems.set(place, error.problem);
    this.logger.error({ event: 'log-damaged', position: error.position, err: error }, error.message);
  }

  /** The first damaged place, and how many there are; null: none. */
  get damage(): { readonly places: number; readonly first: string; readonly problem: string } | null {
    for (const [first, problem] of this.problems) return { places: this.problems.size, first, problem };
    return null;
  }
}

interface ContentsHealth {
  readonly keys: Pick<ContentKeys, 'storeId'>;
  /** How what calls say is stored from now on. */
  readonly contents: 'plain' | 'encrypted';
  /** Kinds of entries of coordination that were refused, since somebody else has written them. */
  readonly forged: ReadonlySet<string>;
}

/** The ports' health for `/health`. Names, states and numbers only: anyone may read it. */
export function portHealth(
  ports: Ports,
  log: LogHealth,
  { keys, contents, forged }: ContentsHealth,
): readonly HealthSource[] {
  const { eventStore, readStore, coordination } = ports;
  return [
    {
      name: 'event-store',
      check: () => eventStoreHealth(eventStore, log).catch(replacedLog),
    },
    { name: 'read-store', check: () => answers(projectDocuments.get(readStore, 'health')) },
    {
      name: 'coordination',
      async check() {
        const report = await answers(coordination.get('health'));
        return forged.size === 0 ? report : { status: 'damaged', details: { forged: [...forged].join(', ') } };
      },
    },
    {
      name: 'content-keys',
      // Calls continue with keys in memory, so it is not down.
      async check() {
        const { status, details } = await orDegraded(keys.storeId());
        return { status, details: { ...details, contents } };
      },
    },
    ...transportHealth(ports, { isMarked: true }),
  ];
}

async function eventStoreHealth(eventStore: EventStore, log: LogHealth): Promise<HealthReport> {
  const [{ position }, writes] = await Promise.all([eventStore.head(), takesWrites(eventStore)]);
  const { damage } = log;
  const details = {
    position,
    writes,
    ...(damage && { damaged: damage }),
  };
  // Reads continue without writes, so it is not down.
  return { status: damage ? 'damaged' : writes ? 'up' : 'degraded', details };
}

/** @throws any other error */
function replacedLog(error: unknown): HealthReport {
  if (!(error instanceof LogReplacedError)) throw error;
  return {
    status: 'down',
    details: { reason: 'log_replaced', knows: error.knows, sees: error.sees, lacks: error.lacks },
  };
}

/**
 * Bus and object store. Without them some requests fail and others succeed, so they do not count as down. A store without the mark of
 * its log does where one is expected (`isMarked`): what is written to an empty folder would be missing once the disk is mounted again.
 */
export const transportHealth = (
  { bus, objectStore }: { readonly bus: Bus; readonly objectStore: ObjectStore },
  { isMarked = false } = {},
): readonly HealthSource[] => [
  { name: 'bus', check: () => orDegraded(reaches(bus)) },
  {
    name: 'object-store',
    async check() {
      let isThere = false;
      const report = await orDegraded(objectStore.stat(MARK).then((mark) => (isThere = mark !== null)));
      if (isMarked && !isThere && report.status === 'up')
        return { status: 'down', details: { reason: 'objects_gone' } };
      const damaged = damagedObjects(objectStore);
      if (damaged === 0) return report;
      return { status: 'damaged', details: { ...report.details, damagedObjects: damaged } };
    },
  },
];

/** A probe without an answer counts as failed. */
async function takesWrites(eventStore: Pick<EventStore, 'takesWrites'>): Promise<boolean> {
  try {
    return await within(DEADLINE_MS, eventStore.takesWrites(), () => new Error('no answer'));
  } catch {
    return false;
  }
}

const UP: HealthReport = { status: 'up', details: {} };
const DEADLINE_MS = 1_000;

async function answers(question: Promise<unknown>): Promise<HealthReport> {
  await question;
  return UP;
}

/** A reachable bus reports that no process serves this subject. */
async function reaches(bus: Bus): Promise<void> {
  try {
    await callOnce(bus, 'health.nobody', null, { deadlineMs: DEADLINE_MS });
  } catch (error) {
    if (!(error instanceof NoServerError)) throw error;
  }
}

async function orDegraded(check: Promise<unknown>): Promise<HealthReport> {
  try {
    await within(DEADLINE_MS, check, () => new Error('no answer'));
    return UP;
  } catch (error) {
    return { status: 'degraded', details: { reason: error instanceof Error ? error.name : 'unknown' } };
  }
}
