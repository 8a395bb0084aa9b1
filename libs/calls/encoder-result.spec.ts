import fc from 'fast-check';
import type { InferResult, InferSchema } from '#gpu-runner/contract/schema.js';
import { CodePoints } from '#domain/code-points.js';
import { encodeResult } from './encoder-result.js';

const text = 'Zoë 😀 flew to Lisbon';
const result: InferResult = {
  entities: { city: [{ text: 'Lisbon', start: 15, end: 21, label: 'city', confidence: 0.98765432 }], person: [] },
  classifications: { mood: [{ label: 'good', confidence: 0.7 }] },
  truncated: false,
};
const applied = { classifications: [{ task: 'mood', labels: ['good', 'bad'], multiLabel: false }] };
const both = { includeConfidence: true, includeSpans: true };

describe('the native result', () => {
  it('has offsets in code points, and every requested label', () => {
    expect(encodeResult(text, result, applied, null, both)).toMatchObject({
      entities: { city: [{ text: 'Lisbon', start: 14, end: 20, confidence: 0.987654 }], person: [] },
      mood: { label: 'good', confidence: 0.7 },
    });
  });

  it.each([
    [
      { includeConfidence: true, includeSpans: false },
      { text: 'Lisbon', confidence: 0.987654 },
      { label: 'good', confidence: 0.7 },
    ],
    [{ includeConfidence: false, includeSpans: true }, { text: 'Lisbon', start: 14, end: 20 }, 'good'],
    [{ includeConfidence: false, includeSpans: false }, 'Lisbon', 'good'],
  ])('has the fields of %j', (shape, city, mood) => {
    expect(encodeResult(text, result, applied, null, shape)).toMatchObject({ entities: { city: [city] }, mood });
  });

  it('lists labels for multi_label and top_k, even a single one', () => {
    const multi = { classifications: [{ ...applied.classifications[0]!, multiLabel: true }] };
    const none = { includeConfidence: false, includeSpans: false };
    expect(encodeResult(text, result, multi, null, none)['mood']).toEqual(['good']);
    const topK = { classifications: [{ ...applied.classifications[0]!, topK: 1 }] };
    expect(encodeResult(text, result, topK, null, none)['mood']).toEqual([{ label: 'good', confidence: 0.7 }]);
  });

  describe('the native result of structures and relations', () => {
    const hit = (found: string, confidence: number) => {
      const start = text.indexOf(found);
      return { text: found, confidence, start, end: start + found.length };
    };
    const found: InferResult = {
      structures: {
        trip: [
          {
            who: [hit('Zoë', 0.4), hit('flew', 0.9)],
            to: [hit('Lisbon', 0.8)],
            class: [hit('flew', 0.9), { text: 'first', confidence: 0.7 }],
          },
          {},
        ],
      },
      relations: { went_to: [{ head: hit('Zoë', 0.9), tail: hit('Lisbon', 0.8) }] },
      truncated: false,
    };
    const asked: InferSchema = {
      structures: [
        {
          name: 'trip',
          fields: [
            { name: 'who', dtype: 'str' },
            { name: 'to', dtype: 'list' },
            { name: 'class', dtype: 'str', choices: ['first', 'second'] },
          ],
        },
        { name: 'hotel', fields: [{ name: 'stars', dtype: 'str' }] },
      ],
      relations: [{ name: 'went_to' }, { name: 'lives_in' }],
    };
    const encoded = (includeConfidence: boolean, includeSpans: boolean) =>
      JSON.parse(JSON.stringify(encodeResult(text, found, asked, null, { includeConfidence, includeSpans }))) as object;
    const none = { who: null, to: [], class: null };

    it("has confidence and spans: a scalar field's best value, choices without a span, missing fields by name", () => {
      const lisbon = { text: 'Lisbon', confidence: 0.8, start: 14, end: 20 };
      expect(encoded(true, true)).toEqual({
        trip: [
          {
            who: { text: 'flew', confidence: 0.9, start: 6, end: 10 },
            to: [lisbon],
            class: { text: 'first', confidence: 0.7 },
          },
          none,
        ],
        hotel: [],
        relation_extraction: {
          went_to: [{ head: { text: 'Zoë', confidence: 0.9, start: 0, end: 3 }, tail: lisbon }],
          lives_in: [],
        },
      });
    });

    it('has confidence alone if requested', () => {
      expect(encoded(true, false)).toMatchObject({
        trip: [{ to: [{ text: 'Lisbon', confidence: 0.8 }], class: { text: 'first', confidence: 0.7 } }, none],
        relation_extraction: {
          went_to: [{ head: { text: 'Zoë', confidence: 0.9 }, tail: { text: 'Lisbon', confidence: 0.8 } }],
        },
      });
    });

    it('has spans alone if requested', () => {
      expect(encoded(false, true)).toMatchObject({
        trip: [{ to: [{ text: 'Lisbon', start: 14, end: 20 }], class: { text: 'first' } }, none],
        relation_extraction: { went_to: [{ head: { text: 'Zoë', start: 0, end: 3 } }] },
      });
    });

    it('has plain values with neither', () => {
      expect(encoded(false, false)).toEqual({
        trip: [{ who: 'flew', to: ['Lisbon'], class: 'first' }, none],
        hotel: [],
        relation_extraction: { went_to: [['Zoë', 'Lisbon']], lives_in: [] },
      });
    });
  });

  it('has only the most confident hit for dtype str', () => {
    const hit = { label: 'city', start: 0, end: 1, text: 'Z' };
    const two = {
      entities: {
        city: [
          { ...hit, confidence: 0.6 },
          { ...hit, text: 'Y', confidence: 0.9 },
        ],
      },
      truncated: false,
    };
    const requested = {
      entities: [{ name: 'city', dtype: 'str' as const }],
      classifications: null,
      structures: null,
      relations: null,
    };
    expect(encodeResult('Z', two, {}, requested, both)['entities']).toMatchObject({ city: [{ text: 'Y' }] });
  });

  it('has code point offsets that are right in any order of asking', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))), (parts) => {
        const whole = parts.flat().join('');
        const { ofUtf16: offset } = new CodePoints(whole);
        const ends = parts.map(
          (_, index) =>
            parts
              .slice(0, index + 1)
              .flat()
              .join('').length,
        );
        for (const end of [...ends, ...ends.toReversed()]) expect(offset(end)).toBe([...whole.slice(0, end)].length);
      }),
    );
  });
});
