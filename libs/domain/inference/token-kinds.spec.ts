import { addTokens, allTokens, cost, priceOf, tokenFields, type CatalogPrices } from './index.js';

/** A call from before all kinds but two. */
const early = { inputTokens: 10, outputTokens: 2 };

describe('kinds of tokens', () => {
  it('that a call was recorded before count as none and cost nothing', () => {
    expect(tokenFields(early)).toMatchObject({ input_tokens: 10, output_tokens: 2, cache_read_tokens: 0 });
    expect(addTokens(early, { cacheReadTokens: 5 })).toMatchObject({ inputTokens: 10, cacheReadTokens: 5 });
    expect([allTokens(early), cost(early, { input: '3', output: '7' })]).toEqual([12, 44n]);
  });

  it('are summed apart for input and output, and priced apart', () => {
    const counts = { ...early, cacheReadTokens: 5, cacheWriteTokens: 1 };
    expect([allTokens(counts, 'input'), allTokens(counts, 'output'), allTokens(counts)]).toEqual([16, 2, 18]);
    const prices: CatalogPrices = {
      ...{ input_price_per_million: 1, output_price_per_million: 4 },
      ...{ cache_read_price_per_million: 0.1, cache_write_price_per_million: 2 },
    };
    expect(cost(counts, priceOf(prices))).toBe(20_500_000n);
  });
});
