import { expect, it } from '@jest/globals';
import { zeroShotWeights } from './weights.js';

it('the committed weights are as many as the features that they weigh', () => {
  const { choice, mention, centres, decisionPoint } = zeroShotWeights();
  expect([choice, mention, centres.stretch, centres.text].map(({ length }) => length)).toEqual([11, 52, 384, 384]);
  expect([...choice, ...mention].every(Number.isFinite)).toBe(true);
  expect(decisionPoint).toBe(0.25);
});
