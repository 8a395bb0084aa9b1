import type { HealthReport, HealthSource } from '#primitives/health/health.js';
import type { Bus } from '#ports/bus/port.js';
import type { LeadershipStatus } from '#log/leadership/index.js';
import type { ProcessManagerStatus } from '#log/process-manager/running-manager.js';
import { auditOverBus, type AuditStatus } from '#audit/thread/status.js';
import { collectionNameOf } from '#log/projector/collection.js';
import { LOG_UNREADABLE } from '#log/troubles.js';
import { NoLeaderError } from '#log/leadership/ask-leader.js';
import { processManagersOverBus, type ProcessManagersStatus } from '#log/process-manager/over-bus.js';
import { projectionsOverBus } from '#log/projector/over-bus.js';
import type { Visibility } from '#log/visibility.js';
import { projections } from '#projections/index.js';

/** Shorter than the time that `/health` gives a part. */
const DEADLINE_MS = 1_000;

/**
 * Health of the work behind the API, as its leaders report it over the bus. Failing work makes answers stale or jobs
 * wait while requests are still served; only an incomplete read model counts as down.
 */
export const workHealth = (bus: Bus, visibility: Visibility): readonly HealthSource[] => [
  readModelHealth(bus, visibility),
  { name: 'process-managers', check: () => orDegraded(processManagerHealth(bus)) },
  { name: 'runners', check: () => orDegraded(runnerHealth(bus)) },
  { name: 'audit', check: () => orDegraded(auditHealth(bus)) },
];

/** Health of the projections, as their leader reports it, and as this process hears of versions that another release leads. */
export const readModelHealth = (bus: Bus, visibility: Visibility): HealthSource => ({
  name: 'projections',
  check: () => orDegraded(projectionHealth(bus, visibility)),
});

/** The work after events and the runners, as their leader reports them within the time that `/health` gives a part. */
export const workOf = (bus: Bus): Promise<ProcessManagersStatus> => processManagersOverBus(bus, DEADLINE_MS);

/** The audit, as its leader reports it within the time that `/health` gives a part. */
export const auditOf = (bus: Bus): Promise<AuditStatus> => auditOverBus(bus, DEADLINE_MS);

/** The worker's roles as leader or follower. */
export const leadershipHealth = (leaderships: () => readonly LeadershipStatus[]): HealthSource => ({
  name: 'leadership',
  async check() {
    const all = leaderships();
    const details = Object.fromEntries(all.map(({ name, role }) => [name, role]));
    return { status: all.some(({ role }) => role === 'unreachable') ? 'degraded' : 'up', details };
  },
});

/** The work that this worker does alongside the others. */
export const datasetProcessingHealth = (managers: () => readonly ProcessManagerStatus[]): HealthSource => ({
  name: 'dataset-processing',
  check: async () => managersReport(managers()),
});

/** A read model that is rebuilding or has stopped serves stale answers; one that is not complete serves none. */
async function projectionHealth(bus: Bus, visibility: Visibility): Promise<HealthReport> {
  const led = await projectionsOverBus(bus, DEADLINE_MS).status();
  const all = projections.map(({ name, version }) => {
    const one = led.find((each) => each.name === name);
    if (one?.version === version) {
      const { state, complete, lagEvents, lagSeconds, parked, error, errorCode } = one;
      const reason = errorCode !== null && { reason: errorCode };
      const well = state === 'live' && parked === 0 && error === null;
      return { name, well, details: { version, state, complete, lagEvents, lagSeconds, parked, ...reason } };
    }
    const complete = visibility.isWhole(collectionNameOf({ name, version }));
    const reason = `another release leads, with ${one ? `version ${one.version}` : 'no version'} of it`;
    return { name, well: false, details: { version, complete, reason } };
  });
  const { status, details } = report(
    all.every(({ well }) => well),
    all.map((one) => [one.name, one.details]),
  );
  return { status: all.some((one) => one.details.complete === false) ? 'down' : status, details };
}

/** A stopped process manager leaves work undone. */
async function processManagerHealth(bus: Bus): Promise<HealthReport> {
  return managersReport((await workOf(bus)).managers);
}

function managersReport(managers: readonly ProcessManagerStatus[]): HealthReport {
  const well = managers.every(({ state, failing }) => state === 'live' && failing.length === 0);
  return report(
    well,
    managers.map(({ name, state, pending, running, failing }) => [
      name,
      { state, pending, running, failing: failing.length, ...(state === 'disconnected' && { reason: LOG_UNREADABLE }) },
    ]),
  );
}

/** Without a live runner, nothing is trained or evaluated. */
async function runnerHealth(bus: Bus): Promise<HealthReport> {
  const { runners } = await workOf(bus);
  const well = runners.some(({ present }) => present);
  return report(
    well,
    runners.map(({ name, lastHeardMs, working }) => [name, { lastHeardMs, working }]),
  );
}

/**
 * A log that differs from its signed tree is still served, and reported. Until the whole log was compared, the rest is
 * unknown.
 */
async function auditHealth(bus: Bus): Promise<HealthReport> {
  const { problems, first, error, checking, witnesses, checkpoints, timestamps, ...state } = await auditOf(bus);
  const found = first && { problems, first: { problem: first.problem, position: first.position } };
  const check = checking === null ? { state: 'checked' } : { state: 'checking', progress: checking };
  const told = {
    ...(witnesses.length > 0 && { witnesses }),
    checkpoints: checkpoints ?? 'not kept',
    ...(timestamps && { timestamps }),
  };
  const details = { ...state, ...check, ...told, ...(error !== null && { reason: error }), ...found };
  const outside = [...witnesses, checkpoints, timestamps];
  const well = error === null && outside.every((each) => each === null || each.error === null);
  return { status: problems > 0 ? 'damaged' : well ? 'up' : 'degraded', details };
}

const report = (well: boolean, parts: readonly (readonly [string, object])[]): HealthReport => ({
  status: well ? 'up' : 'degraded',
  details: Object.fromEntries(parts),
});

async function orDegraded(check: Promise<HealthReport>): Promise<HealthReport> {
  try {
    return await check;
  } catch (error) {
    // The bus's other errors may name its server.
    const reason = error instanceof NoLeaderError ? error.message : error instanceof Error ? error.name : 'unknown';
    return { status: 'degraded', details: { reason } };
  }
}
