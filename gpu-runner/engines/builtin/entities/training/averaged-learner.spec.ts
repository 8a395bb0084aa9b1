import { Random } from '../../random.js';
import { FullWeights } from '../weights/full-weights.js';
import type { AdapterWeights } from './adapter-weights.js';
import { AveragedLearner, type Member } from './averaged-learner.js';
import { CrfLearner } from './learner.js';
import type { CompiledRows } from './rows.js';

/** Rows of one token, with or without the one label, and three features each. */
const count = 30;
const upTo = Int32Array.from({ length: count + 1 }, (_, k) => k);
const rows: CompiledRows = {
  ...{ rowCount: count, segmentCount: count, tokenCount: count, rows: upTo, segments: upTo },
  offsets: Uint32Array.from(upTo, (k) => 3 * k),
  features: Uint32Array.from({ length: 3 * count }, (_, k) => (k % 3 === 0 ? (k / 3) % 2 : 2 + (k % 7))),
  gold: Uint16Array.from({ length: count }, (_, k) => k % 2),
  prior: null,
  vectors: null,
};

function memberOf(seed: number): Member {
  const random = new Random(seed);
  const weights = new FullWeights(9, 3, 0, 0.01);
  return { weights, learner: learnerOf(weights, random), random };
}
const learnerOf = (weights: AdapterWeights, random = new Random(1)) =>
  new CrfLearner({
    ...{ labels: 1, weights, train: rows, batchSize: 4, dropout: 0.3, priorWeight: 0, transitionRate: 0.01, random },
  });
const learnerWith = (seeds: readonly [number, ...number[]]) => {
  const [first, ...others] = seeds.map(memberOf);
  return new AveragedLearner([first!, ...others], learnerOf);
};
const trained = (learner: AveragedLearner, steps: number): AveragedLearner => {
  for (let step = 0; step < steps; step++) learner.step(1);
  return learner;
};
const numbersOf = (learner: AveragedLearner): number[] => {
  const { weights, learner: own } = learner.trained();
  return [...(weights as FullWeights).weights, ...own.transitions];
};

describe('learners that differ by their seed', () => {
  it('are each trained as alone; what they learned is their mean, after each step', () => {
    const together = learnerWith([5, 6, 7]);
    for (const steps of [4, 9]) {
      trained(together, steps);
      const alone = [5, 6, 7].map((seed) => numbersOf(trained(learnerWith([seed]), steps === 4 ? 4 : 13)));
      expect(alone[0]).not.toEqual(alone[1]);
      numbersOf(together).forEach((number, at) =>
        expect(number).toBeCloseTo(
          alone.reduce((sum, numbers) => sum + numbers[at]! / 3, 0),
          5,
        ),
      );
    }
  });

  it('judge rows by the mean', () => {
    const learner = trained(learnerWith([5, 6]), 40);
    const { gold, right } = learner.trained().learner.judge(rows)[0]!;
    expect([gold, right.filter(Boolean).length]).toEqual([15, 15]);
  });

  it('continue from a saved state to the same numbers', () => {
    const whole = trained(learnerWith([5, 6]), 20);
    const resumed = trained(learnerWith([5, 6]), 3);
    resumed.trained();
    resumed.restoreState(structuredClone(trained(learnerWith([5, 6]), 12).saveState()));
    expect(numbersOf(trained(resumed, 8))).toEqual(numbersOf(whole));
  });
});
