import type { Application } from '#application/application.js';
import type { LedWork } from '#log/leadership/index.js';
import { ProcessManagerHost, type ProcessManagerHostOptions } from '#log/process-manager/host.js';
import { serveProcessManagers, type RunnerStatus } from '#log/process-manager/over-bus.js';
import { Runners } from '#use-cases/attempts/dispatch/runners.js';
import { ledProcessManagers, type ProcessManagerNeeds } from '#use-cases/process-managers.js';
import { startSweeps } from '#use-cases/erasure/work/reaper/sweeps.js';

/** Runs the deciding process managers as led work: each leader learns their state and the runners' from scratch. */
export function startLedProcessManagers(
  application: Application,
  needs: Pick<ProcessManagerNeeds, 'useCases' | 'webhookWork'> = {},
): LedWork {
  const { bus } = application.ports;
  const runners = new Runners(bus);
  const managers = ledProcessManagers(application, runners, needs);
  const host = startManagers(application, managers);
  const sweeps = startSweeps(application);
  const served = serveProcessManagers(bus, () => ({ managers: host.status(), runners: runnersOf(runners) }));
  return {
    async close() {
      await served.stop();
      await Promise.all([host.close(), sweeps.close()]);
      await runners.close();
    },
  };
}

export const startManagers = (
  { ports, background }: Application,
  managers: ProcessManagerHostOptions['managers'],
): ProcessManagerHost =>
  new ProcessManagerHost({
    eventStore: ports.eventStore,
    managers,
    onTrouble: (error) => background.failed('read-log', error),
  }).start();

const runnersOf = (runners: Runners): RunnerStatus[] =>
  runners.lastHeard().map(({ beat, agoMs, present }) => ({
    name: beat.name,
    lastHeardMs: Math.round(agoMs),
    present,
    working: beat.working.length,
  }));
