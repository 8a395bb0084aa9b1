import type { CallMetered } from './events.js';

type Usage = Pick<CallMetered['data'], 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>;

/** Dollars per million tokens, as the catalog shows them, in picodollars a token: the same number times a million. */
const picodollarsPerToken = (dollarsPerMillion: number): bigint => BigInt(Math.round(dollarsPerMillion * 1e6));

/** A catalog entry's prices as events hold them: picodollars a token. */
export function priceOf(entry: {
  readonly input_price_per_million: number;
  readonly output_price_per_million: number;
  readonly cache_read_price_per_million: number;
  readonly cache_write_price_per_million: number;
}): CallMetered['data']['price'] {
  const price = (dollarsPerMillion: number) => picodollarsPerToken(dollarsPerMillion).toString();
  return {
    input: price(entry.input_price_per_million),
    output: price(entry.output_price_per_million),
    cacheRead: price(entry.cache_read_price_per_million),
    cacheWrite: price(entry.cache_write_price_per_million),
  };
}

/** The cost of a call in picodollars (10^-12 USD). Input tokens exclude the cached ones. */
export function cost(usage: Usage, price: CallMetered['data']['price']): bigint {
  return (
    BigInt(usage.inputTokens) * BigInt(price.input) +
    BigInt(usage.outputTokens) * BigInt(price.output) +
    BigInt(usage.cacheReadTokens) * BigInt(price.cacheRead) +
    BigInt(usage.cacheWriteTokens) * BigInt(price.cacheWrite)
  );
}

/** Dollars for display and JSON numbers; bills are computed in picodollars. */
export const dollars = (picodollars: bigint | string): number => Number(picodollars) / 1e12;
