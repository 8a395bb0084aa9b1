import type { Bus, Subscription } from '#ports/bus/port.js';
import { askLeader } from '#log/leadership/ask-leader.js';
import type { ProcessManagerStatus } from './running-manager.js';

/** The bus subject on which the leader of the process managers answers. */
const SUBJECT = 'operate.process-managers';

/** Status of the process managers, and of the runners whose heartbeats the leader has received. */
export type ProcessManagersStatus = {
  readonly managers: readonly ProcessManagerStatus[];
  readonly runners: readonly RunnerStatus[];
};

export type RunnerStatus = {
  readonly name: string;
  readonly lastHeardMs: number;
  /** Heard recently enough to get offers. */
  readonly present: boolean;
  readonly working: number;
};

/** Serves the status of the process managers while this process leads them. */
export const serveProcessManagers = (bus: Bus, status: () => ProcessManagersStatus): Subscription =>
  bus.serve(SUBJECT, async () => status());

/** The process managers, wherever they are led. @throws NoLeaderError while no worker leads them */
export function processManagersOverBus(bus: Bus, deadlineMs: number): Promise<ProcessManagersStatus> {
  const absent = 'no worker leads the process managers now';
  return askLeader<ProcessManagersStatus>(bus, { subject: SUBJECT, body: null, deadlineMs, absent });
}
