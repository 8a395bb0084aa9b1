import * as fc from 'fast-check';
import { JsonShape } from './json-shape.js';

/** The message of the refusal; null if there is none. */
function refusalOf(text: string, maxValues = 1_000, cuts: readonly number[] = []): string | null {
  const shape = new JsonShape(maxValues);
  const bytes = Buffer.from(text);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  try {
    for (const [index, start] of places.slice(0, -1).entries()) shape.read(bytes.subarray(start, places[index + 1]));
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Every value of a JSON text; an empty list or object counts twice. */
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const inner = Object.values(value);
  return 1 + (inner.length === 0 ? 1 : inner.reduce<number>((sum, one) => sum + valuesOf(one), 0));
}

const json = fc.json({ maxDepth: 6, stringUnit: 'binary' });
const cuts = fc.array(fc.nat(), { maxLength: 6 });

describe('the shape of a JSON text', () => {
  it('counts every value of the text, however its chunks are split', () => {
    fc.assert(
      fc.property(json, cuts, (text, at) => {
        const values = valuesOf(JSON.parse(text));
        expect(refusalOf(text, values, at)).toBeNull();
        if (values > 1) expect(refusalOf(text, values - 1, at)).toContain(`${values - 1} values`);
      }),
      {
        examples: [
          ['"\\\\"', [2]],
          ['["\\"",1]', [4, 5]],
          ['{"a\\\\":[{},[]]}', [3, 4, 5, 6]],
        ],
      },
    );
  });

  it('counts sixteen numbers as one value where token ids are allowed, but each text and field as one', () => {
    const refusal = (text: string): string | null => {
      try {
        new JsonShape(3, 16).read(Buffer.from(text));
        return null;
      } catch (error) {
        return (error as Error).message;
      }
    };
    const listOf = (item: string, count: number) => `[${Array.from({ length: count }, () => item).join()}]`;
    expect([refusal(listOf('1', 17)), refusal(listOf('"1"', 1)), refusal('{"a":1}')]).toEqual([null, null, null]);
    for (const text of [listOf('1', 18), listOf('"1"', 3), '{"a":1,"b":2,"c":3}', '[[],[]]'])
      expect(refusal(text)).toContain('more than 3 values');
  });

  it('refuses too many keys in one object, and allows as many across several', () => {
    const keys = (count: number) => `{${Array.from({ length: count }, (_, key) => `"k${key}":{}`).join()}}`;
    expect(refusalOf(keys(2_001), 10_000)).toContain('2000 keys in one object');
    expect(refusalOf(`[${keys(2_000)},${keys(2_000)}]`, 10_000)).toBeNull();
  });

  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
  it.each<[string, boolean]>([
    [nested(64), false],
    [nested(66), true],
    ['['.repeat(1_000_000), true],
    [`[${Array.from({ length: 100 }, () => '[1]').join()}]`, false],
    [JSON.stringify({ text: '[[{"'.repeat(100) }), false],
    [JSON.stringify({ text: '\\"['.repeat(100) }), false],
    [`{"text":"\\\\",${nested(66).slice(1)}`, true],
    [`"${'['.repeat(100)}`, false],
  ])('rejects %j as too deep: %j', (text, deep) => expect(refusalOf(text) !== null).toBe(deep));

  it('leaves a text that is not JSON to the parser', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[]{}",:\\ax1 ') }), cuts, (text, at) => {
        expect(refusalOf(text, 1_000, at)).toBeNull();
      }),
    );
  });
});
