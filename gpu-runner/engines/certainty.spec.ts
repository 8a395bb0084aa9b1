import { certaintyOf } from './certainty.js';
import type { InferResult } from './engine.js';

const answer = (parts: Partial<InferResult>): InferResult => ({ truncated: false, ...parts });
const entity = (start: number, confidence: number) => ({
  start,
  end: start + 3,
  label: 'city',
  text: 'Rom',
  confidence,
});

describe('certaintyOf', () => {
  it('counts what was found, and what nearly was', () => {
    const found = answer({ entities: { city: [entity(0, 0.9)] } });
    expect(certaintyOf({ entities: [{ name: 'city' }] }, found, found)).toBeCloseTo(0.9);
    const more = answer({ entities: { city: [entity(0, 0.9), entity(9, 0.4)] } });
    expect(certaintyOf({ entities: [{ name: 'city' }] }, found, more)).toBeCloseTo(0.9 * 0.6);
  });

  it('is sure of an answer without anything where nothing came near', () => {
    const nothing = answer({ entities: { city: [] } });
    expect(certaintyOf({ entities: [{ name: 'city' }] }, nothing, nothing)).toBe(1);
  });

  it('takes the confidence of one label out of several, and each one of those that may apply together', () => {
    const best = answer({ classifications: { topic: [{ label: 'a', confidence: 0.7 }] } });
    const all = answer({
      classifications: {
        topic: [
          { label: 'a', confidence: 0.7 },
          { label: 'b', confidence: 0.2 },
        ],
      },
    });
    const query = { task: 'topic', labels: ['a', 'b'] };
    expect(certaintyOf({ classifications: [{ ...query, multiLabel: false }] }, best, all)).toBeCloseTo(0.7);
    expect(certaintyOf({ classifications: [{ ...query, multiLabel: true }] }, best, all)).toBeCloseTo(0.7 * 0.8);
  });

  it('multiplies the values of records, whichever record they stand in, and ends of relations once', () => {
    const value = (text: string, start: number, confidence: number) => ({ text, start, end: start + 1, confidence });
    const two = answer({ structures: { order: [{ item: [value('a', 0, 0.9)] }, { item: [value('b', 4, 0.8)] }] } });
    const one = answer({
      structures: {
        order: [{ item: [value('a', 0, 0.9), value('b', 4, 0.8)], size: [{ text: 'L', confidence: 0.3 }] }],
      },
    });
    expect(certaintyOf({}, two, one)).toBeCloseTo(0.9 * 0.8 * 0.7);
    const related = answer({ relations: { owns: [{ head: value('a', 0, 0.6), tail: value('b', 4, 0.6) }] } });
    expect(certaintyOf({}, related, related)).toBeCloseTo(0.6);
  });
});
