import { describe, expect, it } from '@jest/globals';
import { Random } from '../../random.js';
import { negativeLogLikelihood, sigmoid, softmaxInPlace, softplus } from '../probability.js';
import { sigmoidErrors, softmaxErrors } from './gradient-learner.js';
import type { SparseVector } from '../terms/vocabulary.js';
import { FullWeights, LowRankWeights, type TrainableWeights } from './weights.js';

const classes = 4;
const terms = 6;
const smoothing = 0.05;
const vector: SparseVector = { indices: Int32Array.from([1, 4, 5]), values: Float32Array.from([0.6, 0, -0.8]) };

/** The smoothed losses written out, without regard to speed. */
const softmaxLoss = (scores: readonly number[], label: number) => {
  const partition = Math.log(scores.reduce((sum, score) => sum + Math.exp(score), 0));
  return scores.reduce((sum, score, k) => {
    const target = smoothing / scores.length + (k === label ? 1 - smoothing : 0);
    return sum - target * (score - partition);
  }, 0);
};
const sigmoidLoss = (scores: readonly number[], labels: readonly number[]) =>
  scores.reduce((sum, score, k) => {
    const target = smoothing / 2 + (labels.includes(k) ? 1 - smoothing : 0);
    return sum + softplus(score) - target * score;
  }, 0);
const slope = (loss: (scores: readonly number[]) => number, scores: readonly number[], k: number) => {
  const moved = (by: number) => loss(scores.map((score, index) => (index === k ? score + by : score)));
  return (moved(1e-4) - moved(-1e-4)) / 2e-4;
};

describe('errors of a row', () => {
  const scores = [0.3, -1.2, 2.1, 0.4];

  it('are the derivatives of the smoothed cross-entropy', () => {
    const errors = Float32Array.from(scores);
    softmaxErrors(errors, 1);
    for (let k = 0; k < classes; k++)
      expect(errors[k]).toBeCloseTo(
        slope((moved) => softmaxLoss(moved, 1), scores, k),
        4,
      );
  });

  it('are the derivatives of the smoothed binary cross-entropies', () => {
    const errors = Float32Array.from(scores);
    sigmoidErrors(errors, [0, 2]);
    for (let k = 0; k < classes; k++)
      expect(errors[k]).toBeCloseTo(
        slope((moved) => sigmoidLoss(moved, [0, 2]), scores, k),
        4,
      );
  });

  it('come with the loss without smoothing', () => {
    expect(softmaxErrors(Float32Array.from(scores), 2)).toBeCloseTo(
      negativeLogLikelihood({ scores: Float32Array.from(scores), gold: [2] }, false, 1),
      5,
    );
    expect(sigmoidErrors(Float32Array.from(scores), [1, 2])).toBeCloseTo(
      negativeLogLikelihood({ scores: Float32Array.from(scores), gold: [1, 2] }, true, 1),
      5,
    );
  });
});

describe('weights', () => {
  const shape = { rank: 3, scale: 1.5 };
  const kinds: readonly (readonly [string, () => TrainableWeights])[] = [
    ['full', () => warmed(new FullWeights(terms, classes, null))],
    ['low rank', () => warmed(new LowRankWeights(terms, classes, shape, null, new Random(5)))],
  ];

  /** Moves the weights off their start, so that no gradient is zero by symmetry. */
  function warmed<T extends TrainableWeights>(weights: T): T {
    const random = new Random(1);
    for (let step = 0; step < 5; step++) {
      weights.score(vector, new Float32Array(classes));
      weights.accumulate(
        vector,
        Float32Array.from({ length: classes }, () => random.next() - 0.5),
      );
      weights.apply({ rate: 0.3, scale: 1, decay: 0 });
    }
    return weights;
  }

  /** AdaGrad's first step on a large enough sum of squares is -rate * gradient / sqrt(squares): the gradient can be read off. */
  function gradientOf(weights: TrainableWeights, errors: Float32Array, tensor: string): Float64Array {
    const before = weights.saveState();
    const squares = 1e8;
    const damped = Object.fromEntries(
      Object.entries(before).map(([name, { shape: size, data }]) => [
        name,
        { shape: size, data: name.endsWith('_squares') ? new Float32Array(data.length).fill(squares) : data },
      ]),
    );
    weights.restoreState(damped);
    weights.score(vector, new Float32Array(classes));
    weights.accumulate(vector, errors);
    const rate = 1e5;
    weights.apply({ rate, scale: 1, decay: 0 });
    const after = weights.saveState()[tensor]!.data as Float32Array;
    const values = before[tensor]!.data as Float32Array;
    weights.restoreState(before);
    return Float64Array.from(values, (value, at) => ((value - after[at]!) * Math.sqrt(squares)) / rate);
  }

  it.each(kinds)('%s: gradients agree with finite differences', (_kind, create) => {
    const weights = create();
    const loss = () => {
      const scores = new Float32Array(classes);
      weights.score(vector, scores);
      return softmaxLoss([...scores], 2);
    };
    const errors = new Float32Array(classes);
    weights.score(vector, errors);
    softmaxErrors(errors, 2);
    for (const tensor of Object.keys(weights.saveState()).filter((name) => !name.endsWith('_squares'))) {
      const gradient = gradientOf(weights, errors, tensor);
      const state = weights.saveState();
      const values = state[tensor]!.data as Float32Array;
      for (let at = 0; at < values.length; at++) {
        const value = values[at]!;
        const lossAt = (moved: number) => {
          values[at] = moved;
          weights.restoreState(state);
          return loss();
        };
        const numeric = (lossAt(value + 1e-2) - lossAt(value - 1e-2)) / 2e-2;
        lossAt(value);
        expect(Math.abs(gradient[at]! - numeric)).toBeLessThan(2e-4);
      }
    }
  });

  it.each(kinds)('%s: terms that are missing in a row, or dropped, stay unchanged', (_kind, create) => {
    const weights = create();
    const name = Object.keys(weights.saveState())[0]!;
    const before = weights.saveState()[name]!;
    weights.score(vector, new Float32Array(classes));
    weights.accumulate(vector, new Float32Array(classes).fill(0.3));
    weights.apply({ rate: 0.5, scale: 1, decay: 0.1 });
    const after = weights.saveState()[name]!;
    const rowOf = (tensor: typeof before, row: number) =>
      (tensor.data as Float32Array).slice(row * before.shape[1]!, (row + 1) * before.shape[1]!);
    for (const row of [0, 2, 3, 4]) expect(rowOf(after, row)).toEqual(rowOf(before, row));
    for (const row of [1, 5]) expect(rowOf(after, row)).not.toEqual(rowOf(before, row));
  });

  it.each(kinds)('%s: decay pulls towards zero', (_kind, create) => {
    const norm = (decay: number) => {
      const weights = create();
      for (let step = 0; step < 50; step++) {
        weights.score(vector, new Float32Array(classes));
        weights.accumulate(vector, new Float32Array(classes));
        weights.apply({ rate: 0.1, scale: 1, decay });
      }
      const { data } = Object.values(weights.saveState())[0]!;
      return (data as Float32Array).reduce((sum, value) => sum + value * value, 0);
    };
    expect(norm(1)).toBeLessThan(norm(0) * 0.9);
  });
});

describe('probabilities', () => {
  it('do not overflow', () => {
    const scores = Float64Array.from([1000, 1001, -1000]);
    const logPartition = softmaxInPlace(scores);
    expect(scores[0]! + scores[1]!).toBeCloseTo(1);
    expect(logPartition).toBeCloseTo(1001 + Math.log1p(Math.exp(-1)));
    expect([sigmoid(1000), sigmoid(-1000), softplus(1000), softplus(-1000)]).toEqual([1, 0, 1000, 0]);
  });
});
