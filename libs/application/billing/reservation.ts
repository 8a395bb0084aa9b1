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
export function worstCase(prices: TokenPrices, most: MostTokens): bigint {
  const { input, output } = dearestOf(prices);
  return input * BigInt(Math.ceil(most.input)) + output * BigInt(Math.ceil(most.output));
}

/** Upper bounds of the tokens of a call. */
export interface MostTokens {
  readonly input: number;
  readonly output: number;
}

/** The output tokens that a call may make so that it costs no more than an amount in picodollars; 0 if none do. */
export function outputWithin(prices: TokenPrices, most: MostTokens, amount: bigint): number {
  const { input, output } = dearestOf(prices);
  const left = amount - input * BigInt(Math.ceil(most.input));
  return left > 0n && output > 0n ? Math.min(Number(left / output), most.output) : 0;
}

function dearestOf(prices: TokenPrices): { readonly input: bigint; readonly output: bigint } {
  const dearest = { input: 0n, output: 0n };
  for (const { kind, partOf } of TOKENS) {
    const price = BigInt(prices[kind] ?? 0);
    if (price > dearest[partOf]) dearest[partOf] = price;
  }
  return dearest;
}
