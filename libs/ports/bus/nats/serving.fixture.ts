import { callOnce, NoServerError, type Bus } from '../port.js';

/** Resolves when NATS knows what this bus serves: another connection could otherwise be there first with its call. */
export async function isServing(bus: Bus): Promise<void> {
  // The server handles one connection's messages in order.
  await callOnce(bus, 'nobody', null, { deadlineMs: 5_000 }).catch((error: unknown) => {
    if (!(error instanceof NoServerError)) throw error;
  });
}
