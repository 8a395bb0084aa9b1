import type { Coordination } from '#coordination/port.js';

const TERM_MS = 10_000;

/**
 * Takes a lease and renews it until it is released. It spares two workers the same work; that no work counts twice rests on
 * the attempt in the log, not on this.
 * @returns null while another holds it
 */
export async function holdLease(
  coordination: Coordination,
  name: string,
  holder: string,
): Promise<{ release(): Promise<void> } | null> {
  const lease = await coordination.acquireLease(name, holder, TERM_MS);
  if (lease === null) return null;
  const renewing = setInterval(() => {
    // Missed renewals at worst let another worker make the next attempt.
    coordination.acquireLease(name, holder, TERM_MS).catch(() => undefined);
  }, TERM_MS / 3);
  renewing.unref();
  return {
    async release() {
      clearInterval(renewing);
      await coordination.releaseLease(lease).catch(() => undefined);
    },
  };
}
