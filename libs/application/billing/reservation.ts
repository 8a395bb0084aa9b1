import { TOKENS, type TokenPrices } from '#domain/inference/index.js';

/** Reserves the maximum cost of a call until its cost is known. Exactly one of the two methods ends it. */
export interface Reservation {
  /**
   * Recorded in the call's events (`call-metered`, `call-opened`): which calls were paid from credits, and from whose
   * allotment. null if nothing was reserved, as while credits are not enforced.
   */
  readonly chargedTo: string | null;
  /** Whether the call must not cost more than was reserved; absent: if it was charged. */
  readonly mustSuffice?: true;
  /** The call is on the log: its cost in picodollars, and its tokens of all kinds. */
  settle(costPicodollars: bigint, tokens?: number): void;
  /** The call left no event on the log, so it cost nothing. */
  release(): void;
}

/** A reservation of nothing. */
export const FREE: Reservation = {
  chargedTo: null,
  settle: () => undefined,
  release: () => undefined,
};

/**
 * The most that a call can cost, in picodollars: every input token at the dearest price of input, and all the output that it may
 * make at the dearest of output.
 */
export function worstCase(prices: TokenPrices, most: { readonly input: number; readonly output: number }): bigint {
  const dearest = { input: 0n, output: 0n };
  for (const { kind, partOf } of TOKENS) {
    const price = BigInt(prices[kind] ?? 0);
    if (price > dearest[partOf]) dearest[partOf] = price;
  }
  return dearest.input * BigInt(Math.ceil(most.input)) + dearest.output * BigInt(Math.ceil(most.output));
}
