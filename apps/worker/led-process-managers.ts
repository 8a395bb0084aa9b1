import type { Application } from '#application/application.js';
import type { LedWork } from '#log/leadership/index.js';
import { ProcessManagerHost, type ProcessManagerHostOptions } from '#log/process-manager/host.js';
import { SettledMarks } from '#log/process-manager/settled-marks.js';
import { serveProcessManagers, type RunnerStatus } from '#log/process-manager/over-bus.js';
import { Runners } from '#use-cases/attempts/dispatch/runners.js';
import { ledProcessManagers, type ProcessManagerNeeds } from '#use-cases/process-managers.js';
import { startSweeps } from '#use-cases/erasure/work/reaper/sweeps.js';

const KEPT_EVERY_MS = 60_000;

/** Runs the deciding process managers as led work: each leader learns their state and the runners' from scratch. */
export function startLedProcessManagers(
  application: Application,
  needs: Pick<ProcessManagerNeeds, 'useCases' | 'webhookWork'> = {},
): LedWork {
  const { background, ports } = application;
  const { bus, coordination, eventStore } = ports;
  const runners = new Runners(bus);
  const managers = ledProcessManagers(application, runners, needs);
  // Managers of calls go on where the last leader had nothing open; the others read the log from its start.
  const settling = managers.filter((manager) => 'settled' in manager);
  const marks = new SettledMarks(coordination, eventStore);
  const host = startManagers(
    application,
    managers.filter((manager) => !('settled' in manager)),
  );
  const ofCalls = startManagers(application, settling, () => marks.earliest(settling.map(({ name }) => name)));
  const keep = () => marks.keep(ofCalls.settled());
  const keeping = background.repeat('keep-settled', keep, { everyMs: KEPT_EVERY_MS });
  const sweeps = startSweeps(application);
  const served = serveProcessManagers(bus, () => ({
    managers: [...host.status(), ...ofCalls.status()],
    runners: runnersOf(runners),
  }));
  return {
    async close() {
      await served.stop();
      await Promise.all([host.close(), keeping.close(), ofCalls.close(), sweeps.close()]);
      await keep().catch((error: Error) => background.failed('keep-settled', error));
      await runners.close();
    },
  };
}

export const startManagers = (
  { ports, background }: Application,
  managers: ProcessManagerHostOptions['managers'],
  after?: ProcessManagerHostOptions['after'],
): ProcessManagerHost =>
  new ProcessManagerHost({
    eventStore: ports.eventStore,
    managers,
    ...(after && { after }),
    onTrouble: (error) => background.failed('read-log', error),
  }).start();

const runnersOf = (runners: Runners): RunnerStatus[] =>
  runners.lastHeard().map(({ beat, agoMs, present }) => ({
    name: beat.name,
    lastHeardMs: Math.round(agoMs),
    present,
    working: beat.working.length,
  }));
