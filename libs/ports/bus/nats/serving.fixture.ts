import { callOnce, NoServerError, type Bus } from '../port.js';

/** Resolves when NATS knows this bus's subscriptions: a call on another connection could otherwise overtake them. */
export async function isServing(bus: Bus): Promise<void> {
  // The server handles one connection's messages in order.
  await callOnce(bus, 'nobody', null, { deadlineMs: 5_000 }).catch((error: unknown) => {
    if (!(error instanceof NoServerError)) throw error;
  });
}
