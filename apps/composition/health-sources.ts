import type { Ports } from '#application/ports.js';
import type { HealthReport, HealthSource } from '#apps/api/health/health-source.js';
import type { AppendSample } from '#event-store/append-sample.js';
import type { Runners } from '#apps/worker/attempts/runners.js';
import type { RunningProjectionHost } from '#apps/worker/projection-host/start.js';
import type { ProcessManagerStatus } from '#process-manager/running-manager.js';

/** Whether the log takes writes, as the last append found. */
export class AppendHealth {
  takesWrites = true;

  appended(outcome: AppendSample['outcome']): void {
    this.takesWrites = outcome !== 'unavailable' && outcome !== 'unknown';
  }
}

/** What `/health` explains of the ports. Names, states and numbers only: anyone may ask. */
export function portHealth(
  { eventStore, readStore, coordination }: Ports,
  appends: AppendHealth,
): readonly HealthSource[] {
  return [
    {
      name: 'event-store',
      async check() {
        const { position } = await eventStore.head();
        // Reads go on without writes, and only a write that is tried can find that it works again: not down.
        return { status: appends.takesWrites ? 'up' : 'degraded', details: { position, writes: appends.takesWrites } };
      },
    },
    { name: 'read-store', check: () => answers(readStore.get('projects', 'health')) },
    { name: 'coordination', check: () => answers(coordination.get('health')) },
  ];
}

async function answers(question: Promise<unknown>): Promise<HealthReport> {
  await question;
  return { status: 'up', details: {} };
}

/** One that is rebuilding or has stopped makes some answers old; the rest of the system works. */
export const projectionHealth = (host: Pick<RunningProjectionHost, 'status'>): HealthSource => ({
  name: 'projections',
  check: async () => reportOf(await host.status()),
});

function reportOf(all: Awaited<ReturnType<RunningProjectionHost['status']>>): HealthReport {
  const well = all.every(({ state, parked }) => state === 'live' && parked === 0);
  const details = Object.fromEntries(
    all.map(({ name, version, state, lagEvents, lagSeconds, parked }) => [
      name,
      { version, state, lagEvents, lagSeconds, parked },
    ]),
  );
  return { status: well ? 'up' : 'degraded', details };
}

/** A process manager that has stopped leaves work undone; requests are served all the same. */
export const processManagerHealth = (status: () => readonly ProcessManagerStatus[]): HealthSource => ({
  name: 'process-managers',
  async check() {
    const all = status();
    const well = all.every(({ state, failing }) => state === 'live' && failing.length === 0);
    const details = Object.fromEntries(
      all.map(({ name, state, pending, running, failing }) => [
        name,
        { state, pending, running, failing: failing.length },
      ]),
    );
    return { status: well ? 'up' : 'degraded', details };
  },
});

/** A runner that has fallen silent trains and evaluates nothing; requests are served all the same. */
export const runnerHealth = (runners: Runners): HealthSource => ({
  name: 'runners',
  async check() {
    const all = runners.lastHeard();
    const details = Object.fromEntries(
      all.map(({ beat, agoMs }) => [beat.name, { lastHeardMs: Math.round(agoMs), working: beat.working.length }]),
    );
    return { status: runners.present().length > 0 ? 'up' : 'degraded', details };
  },
});
