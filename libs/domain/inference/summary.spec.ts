import fc from 'fast-check';
import type { Json } from '../json.js';
import { beginning, contentSummary, MAX_SUMMARY_BYTES } from './index.js';

const bytesOf = (value: Json) => Buffer.byteLength(JSON.stringify(value));
/** A cut text ends in `…`, and the last number or name may exceed the bound. */
const SLACK = 64;

describe('the summary of a content', () => {
  it('is the content itself if it is small', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const json = value as Json;
        fc.pre(bytesOf(json) <= 1_000);
        expect(beginning(json, 1_000)).toEqual({ value: json, isCut: false });
      }),
    );
  });

  it('is limited in bytes, whatever is shortened, and says so', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 });
    const large = fc.anything({
      key: text,
      maxDepth: 6,
      maxKeys: 40,
      values: [text, fc.double({ noNaN: true }), fc.boolean()],
    });
    fc.assert(
      fc.property(large, fc.integer({ min: 1, max: 500 }), (value, maxBytes) => {
        const json = JSON.parse(JSON.stringify(value) ?? 'null') as Json;
        const shown = beginning(json, maxBytes);
        expect(shown.isCut || shown.value === json).toBe(true);
        expect(bytesOf(shown.value)).toBeLessThanOrEqual(maxBytes + SLACK);
        if (bytesOf(json) > maxBytes + SLACK) expect(shown.isCut).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the shape: a text keeps its beginning, and ends in an ellipsis between characters', () => {
    const { value } = beginning({ text: '\u{1f600}'.repeat(5_000), schema: ['person'] }, 100);
    const { text } = value as { text: string };
    expect(Object.keys(value as object)).toEqual(['text']);
    expect(text).toMatch(/^(?:\u{1f600})+…$/u);
  });

  it('names the shortened fields', () => {
    const large = 'x'.repeat(MAX_SUMMARY_BYTES);
    expect(contentSummary({ input: { text: 'a' }, output: [large], errorMessage: large })).toEqual({
      input: { text: 'a' },
      output: [expect.stringMatching(/^x+…$/)],
      errorMessage: expect.stringMatching(/^x+…$/),
      truncated: ['output', 'errorMessage'],
    });
  });

  it('reads little of a huge value', () => {
    const looked: number[] = [];
    const items = new Proxy(new Array<Json>(5_000_000), {
      get: (all, name) =>
        typeof name === 'string' && /^\d/.test(name) ? (looked.push(1), 'item') : Reflect.get(all, name),
    });
    expect(beginning(items, 100).isCut).toBe(true);
    expect(looked.length).toBeLessThan(100);
  });
});
