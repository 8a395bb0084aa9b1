import type { CallMetered } from '#domain/inference/index.js';

/** Reserves the maximum cost of a call until its cost is known. Exactly one of the two methods ends it. */
export interface Reservation {
  /**
   * Recorded in the call's events (`call-metered`, `call-opened`): which calls were paid from credits, and from whose
   * allotment. null if nothing was reserved, as while credits are not enforced.
   */
  readonly chargedTo: string | null;
  /** The call is on the log and cost this many picodollars. */
  settle(costPicodollars: bigint): void;
  /** The call left no event on the log, so it cost nothing. */
  release(): void;
}

/** A reservation of nothing. */
export const FREE: Reservation = { chargedTo: null, settle: () => undefined, release: () => undefined };

/**
 * The most that a call can cost, in picodollars: every input token at the dearest of its three prices, and all the output that
 * it may make.
 */
export function worstCase(
  price: CallMetered['data']['price'],
  tokens: { readonly input: number; readonly output: number },
): bigint {
  const dearest = [price.input, price.cacheRead, price.cacheWrite].map(BigInt).reduce((a, b) => (a > b ? a : b));
  return dearest * BigInt(Math.ceil(tokens.input)) + BigInt(price.output) * BigInt(Math.ceil(tokens.output));
}
