import type { InferResult, InferSchema } from '#gpu-runner/contract/schema.js';
import { leastCertainOf } from './least-certain.js';

const hit = (confidence: number) => ({ text: 't', confidence, start: 0, end: 1, label: 'l' });
const least = (result: Omit<InferResult, 'truncated'>, schema: InferSchema = {}) =>
  leastCertainOf([{ ...result, truncated: false }], schema);

describe('the least certain answer', () => {
  it('is found in every head', () => {
    expect(least({ entities: { city: [hit(0.9), hit(0.6)], person: [hit(0.7)], date: [] } })).toEqual({
      confidence: 0.6,
      label: 'city',
    });
    expect(least({ structures: { order: [{ number: [hit(0.8)], city: [hit(0.55555555)] }] } })).toEqual({
      confidence: 0.555556,
      label: 'order.city',
    });
    expect(least({ relations: { 'works for': [{ head: hit(0.9), tail: hit(0.4) }] } })).toEqual({
      confidence: 0.4,
      label: 'works for',
    });
  });

  it('is the best class of a classification with one label, and the worst of one with several', () => {
    const classifications = { t: [0.7, 0.2].map((confidence, n) => ({ label: `l${n}`, confidence })) };
    const of = (multiLabel: boolean) =>
      least({ classifications }, { classifications: [{ task: 't', labels: ['l0', 'l1'], multiLabel, topK: 2 }] });
    expect(of(false)).toEqual({ confidence: 0.7, label: 'l0' });
    expect(of(true)).toEqual({ confidence: 0.2, label: 'l1' });
  });

  it('is null if nothing was found', () => {
    expect(least({ entities: { city: [] }, relations: {}, structures: {} })).toBeNull();
  });
});
