import fc from 'fast-check';
import { DEFAULT_LIMITS } from '../limits.js';
import { Search } from './search.js';
import { validateRow } from './validate.js';

describe('a search for a text', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'b', '\u00e9'), maxLength: 60 });

  it("finds the same as the engine's own search", () => {
    const place = fc.nat(300);
    fc.assert(
      fc.property(few, few, place, place, (begin, period, start, cut) => {
        const text = begin + `${period}a`.repeat(Math.ceil(40_000 / (period.length + 1)));
        const within = text.slice(cut, cut + 100);
        for (const sought of [within, `${within}b`, `${within}${begin}`])
          expect(new Search(text, sought).from(start)).toBe(text.indexOf(sought, start));
      }),
      { numRuns: 100 },
    );
  });

  it.each(['entities', 'json_structures', 'relations'])('reads rows with %s a few times only', (head) => {
    const half = 'a'.repeat(100_000);
    const [text, span] = [half.repeat(6), `${half}b${half}`];
    const values = {
      entities: [[span, 'x']],
      json_structures: [{ a: { b: span } }],
      relations: [{ a: { head: span, tail: 'a' } }],
    };
    const {
      result: verdict,
      reads,
      longSearches,
    } = counted(() => validateRow({ text, [head]: values[head as keyof typeof values] }, 'custom', DEFAULT_LIMITS));
    expect(verdict).toMatchObject({ problems: [{ reason: expect.stringContaining('does not occur in text') }] });
    // JavaScript's own search compares each of 600,000 characters with up to 100,000.
    expect(longSearches).toBe(0);
    expect(reads).toBeLessThan(20 * (text.length + span.length));
  });
});

/** Counts characters that a function reads one by one, and searches for long texts that it leaves to the engine. */
function counted<T>(run: () => T) {
  const { prototype } = String;
  let [reads, longSearches] = [0, 0];
  const originals = (['charCodeAt', 'indexOf', 'includes'] as const).map((name) => {
    const original = Object.getOwnPropertyDescriptor(prototype, name)!;
    const method = original.value as (this: string, given: never, from?: number) => unknown;
    const value = function (this: string, given: string | number, from?: number) {
      if (typeof given === 'number') reads += 1;
      else if (this.length > 1_000 && given.length > 1_000) longSearches += 1;
      return method.call(this, given as never, from);
    };
    Object.defineProperty(prototype, name, { ...original, value });
    return [name, original] as const;
  });
  try {
    return { result: run(), reads, longSearches };
  } finally {
    for (const [name, original] of originals) Object.defineProperty(prototype, name, original);
  }
}
