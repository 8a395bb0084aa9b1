import { ofEachKind, TOKENS, type CatalogPrices, type TokenCounts, type TokenPrices } from './token-kinds.js';

/** Dollars per million tokens, as the catalog shows them, in picodollars a token: the same number times a million. */
const picodollarsPerToken = (dollarsPerMillion: number): bigint => BigInt(Math.round(dollarsPerMillion * 1e6));

/** A catalog entry's prices as events hold them: picodollars a token. */
export const priceOf = (entry: CatalogPrices): TokenPrices =>
  ofEachKind('kind', ({ price }) => picodollarsPerToken(entry[price]).toString());

/** The cost of a call in picodollars (10^-12 USD). */
export function cost(usage: Partial<TokenCounts>, prices: Partial<TokenPrices>): bigint {
  let sum = 0n;
  for (const { kind, count } of TOKENS) sum += BigInt(usage[count] ?? 0) * BigInt(prices[kind] ?? 0);
  return sum;
}

/** Dollars for display and JSON numbers; bills are computed in picodollars. */
export const dollars = (picodollars: bigint | string): number => Number(picodollars) / 1e12;
