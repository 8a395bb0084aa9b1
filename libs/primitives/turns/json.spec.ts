import fc from 'fast-check';
import { isLargeJson, jsonInTurns } from './json.js';

const written = async (value: unknown) => Buffer.concat(await jsonInTurns(value)).toString('utf8');
/** Compared by equality: a difference would be printed whole. */
const isSame = async (value: unknown) => (await written(value)) === JSON.stringify(value);

describe('JSON in turns', () => {
  it('equals JSON.stringify for small values', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ stringUnit: 'binary' }), async (value) => {
        expect(await written(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each<[string, unknown]>([
    ['a long text', 'Maria "flew"\n'.repeat(100_000)],
    ['surrogate pairs at every place', `x${'\u{1f4a5}'.repeat(300_000)}`],
    ['lone surrogates', '\ud83d'.repeat(300_000)],
    ['many numbers', Array.from({ length: 200_000 }, (_, index) => index / 7)],
    ['many texts, some of them long', ['a', 'b', 'x'.repeat(300_000), 'c', 'y'.repeat(600_000)]],
    ['fields that are undefined', { a: undefined, b: 'x'.repeat(300_000), c: undefined, d: [undefined, 'y'] }],
    ['large values in one another', { a: [{ b: ['x'.repeat(300_000), {}, []] }, { c: 'y'.repeat(300_000) }], d: null }],
  ])('equals JSON.stringify for %s', async (_, value) => {
    expect([isLargeJson(value), await isSame(value)]).toEqual([true, true]);
  });

  it('comes in pieces, with other work in between', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    const pieces = await jsonInTurns({ text: 'x'.repeat(4 * 1024 * 1024) });
    isOver = true;
    expect(pieces.length).toBeGreaterThan(8);
    expect(turns).toBeGreaterThan(8);
  });
});
