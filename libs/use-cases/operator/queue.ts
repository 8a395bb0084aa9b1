import { UnavailableError } from '#domain/errors.js';
import { NoLeaderError } from '#log/leadership/ask-leader.js';
import { processManagersOverBus } from '#log/process-manager/over-bus.js';
import type { Bus } from '#ports/bus/port.js';

const DEADLINE_MS = 2_000;

/** Work of all workspaces that runners take, of one kind. */
export interface QueuedWork {
  readonly kind: string;
  /** Work that no runner has taken. */
  readonly waiting: number;
  readonly running: number;
}

/** Work of all workspaces that runners take, as the leader of the process managers knows it. @throws UnavailableError while none leads */
export async function queueOf(bus: Bus): Promise<readonly QueuedWork[]> {
  const { managers } = await processManagersOverBus(bus, DEADLINE_MS).catch((error: unknown) => {
    throw error instanceof NoLeaderError ? new UnavailableError(error.message, { cause: error }) : error;
  });
  return managers.flatMap(({ name, queue }) =>
    queue ? [{ kind: name.replace(/-dispatch$/, ''), waiting: queue.waiting, running: queue.taken }] : [],
  );
}
