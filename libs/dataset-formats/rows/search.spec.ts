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

  it.each(['entities', 'json_structures', 'relations'])('takes less than quadratic time in rows with %s', (head) => {
    const half = 'a'.repeat(100_000);
    const [text, span] = [half.repeat(6), `${half}b${half}`];
    const values = {
      entities: [[span, 'x']],
      json_structures: [{ a: { b: span } }],
      relations: [{ a: { head: span, tail: 'a' } }],
    };
    const begun = process.threadCpuUsage();
    const verdict = validateRow({ text, [head]: values[head as keyof typeof values] }, 'custom', DEFAULT_LIMITS);
    expect(verdict).toMatchObject({ problems: [{ reason: expect.stringContaining('does not occur in text') }] });
    // JavaScript's own search needs more than a minute for this.
    expect(process.threadCpuUsage(begun).user).toBeLessThan(30_000_000);
  });
});
