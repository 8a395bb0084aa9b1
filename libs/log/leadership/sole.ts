import type { Leases } from './held-lease.js';

/** Leases of a sole process, whose exclusiveness is ensured elsewhere: always free, and not stored. */
export const SOLE: Leases = {
  acquireLease: async (name, holder) => ({ name, holder, token: 1 }),
  releaseLease: async () => undefined,
};
