import type { Application } from '#application/application.js';
import type { Bus } from '#bus/port.js';
import type { Json } from '#domain/json.js';
import type { LedWork } from '#leadership/index.js';
import { ProcessManagerHost } from '#process-manager/host.js';
import type { ProcessManagerStatus } from '#process-manager/running-manager.js';
import { Runners } from './attempts/runners.js';
import { abandonedUploads } from './abandoned-uploads/abandoned-uploads.js';
import { askLeader } from './ask-leader.js';
import { interruptedCallsManager } from './interrupted-calls/interrupted-calls.js';
import { startSweeps } from './reaper/index.js';
import { trainingManagers } from './training/index.js';

/** Where the worker that leads the process managers answers. */
const SUBJECT = 'operate.process-managers';

/** What the leader knows of its managers, and of the runners that it has heard. */
export type ProcessManagersStatus = {
  readonly managers: readonly ProcessManagerStatus[];
  readonly runners: readonly RunnerStatus[];
};

export type RunnerStatus = {
  readonly name: string;
  readonly lastHeardMs: number;
  /** Heard so lately that it gets offers. */
  readonly present: boolean;
  readonly working: number;
};

/** Runs the process managers that decide, as led work: what they and the runners are up to is learned afresh. */
export function startLedProcessManagers(application: Application): LedWork {
  const { bus, eventStore } = application.ports;
  const runners = new Runners(bus);
  const managers = [
    ...trainingManagers(application, runners),
    interruptedCallsManager(application),
    abandonedUploads(application),
  ];
  const host = new ProcessManagerHost({ eventStore, managers }).start();
  const sweeps = startSweeps(application);
  const served = bus.serve(SUBJECT, async () => {
    const status: ProcessManagersStatus = { managers: host.status(), runners: runnersOf(runners) };
    return status as unknown as Json;
  });
  return {
    async close() {
      await served.stop();
      await Promise.all([host.close(), sweeps.close()]);
      await runners.close();
    },
  };
}

/** The process managers, wherever they are led. @throws NoLeaderError while no worker leads them */
export async function processManagersOverBus(bus: Bus, deadlineMs: number): Promise<ProcessManagersStatus> {
  const absent = 'no worker leads the process managers now';
  return (await askLeader(bus, {
    subject: SUBJECT,
    body: null,
    deadlineMs,
    absent,
  })) as unknown as ProcessManagersStatus;
}

const runnersOf = (runners: Runners): RunnerStatus[] =>
  runners.lastHeard().map(({ beat, agoMs, present }) => ({
    name: beat.name,
    lastHeardMs: Math.round(agoMs),
    present,
    working: beat.working.length,
  }));
