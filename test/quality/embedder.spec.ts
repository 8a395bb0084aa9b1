import { readCatalog } from '#models/catalog/read.js';
import { wordOverlap } from './embedder-baselines.js';
import { builtIn, correlation, readSentences } from './sentence-pairs.js';
import { spearman } from './statistics.js';

const { pairs, retrieval } = readSentences();
const heldOut = pairs.filter(({ part }) => part === 'held-out');

describe('the claims about the built-in embedder', () => {
  it('are in the catalog as measured, beside word overlap', () => {
    const description = readCatalog().resolve('anneal/embedder-base-v1')!.description;
    expect(description).toContain(`On ${heldOut.length} held-out sentence pairs`);
    expect(description).toContain(`at ${correlation(builtIn(256), heldOut).toFixed(3)} (Spearman`);
    expect(description).toContain(`word overlap ${correlation(wordOverlap, heldOut).toFixed(3)})`);
  });

  it('rest on a held-out part that shares no sentence with the development part', () => {
    const known = new Set(pairs.flatMap(({ part, a, b }) => (part === 'development' ? [a, b] : [])));
    expect(heldOut.filter(({ a, b }) => known.has(a) || known.has(b))).toEqual([]);
    expect(new Set(retrieval.map(({ passage }) => passage)).size).toBe(retrieval.length);
  });
});

it("Spearman's correlation gives equal values their mean rank", () => {
  expect(spearman([1, 2, 3, 4], [10, 20, 30, 400])).toBeCloseTo(1);
  expect(spearman([1, 2, 3, 4], [4, 3, 2, 1])).toBeCloseTo(-1);
  // Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5).
  expect(spearman([1, 2, 2, 4], [1, 2, 3, 4])).toBeCloseTo(4.5 / Math.sqrt(4.5 * 5));
});
