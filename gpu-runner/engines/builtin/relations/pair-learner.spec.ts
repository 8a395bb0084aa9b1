import { describe, expect, it } from '@jest/globals';
import type { Example } from '../../engine.js';
import { resolveSettings } from '../settings.js';
import { UNCHANGED } from '../entities/calibration.js';
import { mentionTypes } from './mention-types.js';
import { PairLearner } from './pair-learner.js';

const train = ['Ann', 'Bob', 'Cy', 'Dot', 'Eve', 'Flo'].map((name, index): Example => {
  const text = `${name} runs Acme${index}`;
  const head = { start: 0, end: name.length };
  return { text, relations: [{ name: 'runs', head, tail: { start: name.length + 6, end: text.length } }] };
});
const shape = { rows: train.length, entityRows: 0, classSizes: [], multiLabel: false };

describe.each(['lora', 'full'] as const)('%s: the memory of a pair learner', (trainingType) => {
  const learner = (limits: { MAX_PAIRS: number; MAX_ALL_PAIRS: number; MAX_WEIGHTS: number }) =>
    new PairLearner(
      resolveSettings({ trainingType, ...shape }, { epochs: 1 }),
      2,
      { train, validation: [] },
      mentionTypes(train),
      null,
      null,
      limits,
    );
  const ample = { MAX_PAIRS: 100, MAX_ALL_PAIRS: 100, MAX_WEIGHTS: 1e6 };

  it('holds everything if it fits', () => {
    const { leftOut, tooFar } = learner(ample);
    expect([leftOut, tooFar]).toEqual([{ features: 0, pairs: 0, relations: 0 }, 0]);
  });

  it('holds a limited number of pairs, including related ones, without counting the rest as too far apart', () => {
    const { leftOut, tooFar } = learner({ ...ample, MAX_PAIRS: 2, MAX_ALL_PAIRS: 4 });
    expect([leftOut, tooFar]).toEqual([{ features: 0, pairs: 2, relations: 2 }, 0]);
  });

  it('holds the weights of the most frequent features', () => {
    const all = learner(ample).export(UNCHANGED, 0.5).dictionary.size;
    const { loraR } = resolveSettings({ trainingType, ...shape }, {});
    const most = all - 1;
    const few = learner({ ...ample, MAX_WEIGHTS: most * (trainingType === 'full' ? 1 : loraR) });
    const kept = few.export(UNCHANGED, 0.5).dictionary.size;
    expect(kept).toBeLessThanOrEqual(most);
    expect(kept).toBeGreaterThan(0);
    expect(few.leftOut.features).toBe(all - kept);
    expect(Number.isFinite(few.step())).toBe(true);
  });
});
