import { Random } from '../../random.js';
import { FullWeights } from './full-weights.js';
import { Lattice } from '../lattice/lattice.js';
import { pathScore } from '../training/learner.js';
import { LowRankWeights } from './low-rank-weights.js';
import { transitionCount } from '../lattice/transitions.js';
import { VectorWeights } from './vector-weights.js';
import type { ActiveFeatures, EmissionWeights } from './weights.js';

const labels = 2;
const tags = 5;
const gold = [1, 3, 0, 2];
const n = gold.length;
const dimensions = 6;
const active: ActiveFeatures = { offsets: [0, 2, 4, 5, 7], features: [0, 1, 1, 2, 3, 0, 3], value: 1.25 };
const vectors = Float32Array.from({ length: n * dimensions }, (_, k) => Math.sin(k * k));

/** Log likelihood of the gold path. */
function likelihood(weights: EmissionWeights, lattice: Lattice): number {
  weights.score({ ...active, vectors }, n, lattice.scores);
  return pathScore(gold, 0, n, labels, lattice.scores, transitions) - lattice.forwardBackward(n);
}

const random = new Random(5);
const transitions = Float32Array.from({ length: transitionCount(labels) }, () => 2 * random.next() - 1);

function newLattice(): Lattice {
  const lattice = new Lattice(labels);
  lattice.reserve(n);
  lattice.setTransitions(transitions);
  return lattice;
}

function gradientByScore(lattice: Lattice): Float64Array {
  const gradient = lattice.marginals.slice(0, n * tags).map((value) => -value);
  gold.forEach((tag, i) => gradient[i * tags + tag]!++);
  return gradient;
}

/** Slope of the likelihood along one parameter, by central difference. */
function slope(parameters: Float32Array, k: number, weights: EmissionWeights, lattice: Lattice): number {
  const held = parameters[k]!;
  const width = 1 / 64;
  parameters[k] = held + width;
  const above = likelihood(weights, lattice);
  parameters[k] = held - width;
  const below = likelihood(weights, lattice);
  parameters[k] = held;
  return (above - below) / (2 * width);
}

describe('one optimiser step, against finite differences', () => {
  it('moves full weights by rate times gradient over AdaGrad norm', () => {
    const weights = new FullWeights(4, tags, 0, 0.5);
    for (let k = 0; k < weights.weights.length; k++) weights.weights[k] = 2 * random.next() - 1;
    const lattice = newLattice();
    likelihood(weights, lattice);
    const gradient = gradientByScore(lattice);
    const slopes = Array.from(weights.weights, (_, k) => slope(weights.weights, k, weights, lattice));
    const before = weights.weights.slice();
    weights.accumulate(active, n, gradient);
    weights.apply(1);
    slopes.forEach((g, k) =>
      expect(weights.weights[k]! - before[k]!).toBeCloseTo((0.1 * g) / Math.sqrt(g * g + 0.5), 3),
    );
  });

  it('moves both factors of low-rank weights uphill', () => {
    const weights = new LowRankWeights(4, tags, 3, 1.5, 0, new Random(8));
    for (let k = 0; k < weights.a.length; k++) weights.a[k] = 2 * random.next() - 1;
    const lattice = newLattice();
    const slopesA = Array.from(weights.a, (_, k) => slope(weights.a, k, weights, lattice));
    const slopesB = Array.from(weights.b, (_, k) => slope(weights.b, k, weights, lattice));
    const before = likelihood(weights, lattice);
    const [a, b] = [weights.a.slice(), weights.b.slice()];
    weights.accumulate(active, n, gradientByScore(lattice));
    weights.apply(1);
    slopesA.forEach((g, k) => Math.abs(g) > 0.01 && expect(Math.sign(weights.a[k]! - a[k]!)).toBe(Math.sign(g)));
    slopesB.forEach((g, k) => Math.abs(g) > 0.01 && expect(Math.sign(weights.b[k]! - b[k]!)).toBe(Math.sign(g)));
    expect(likelihood(weights, lattice)).toBeGreaterThan(before);
  });

  it.each([
    ['tags', (own: VectorWeights) => new FullWeights(4, tags, 0, 0.5, own), tags],
    ['factors', (own: VectorWeights) => new LowRankWeights(4, tags, 3, 1.5, 0, new Random(8), own), 3],
  ])('moves weights of word vectors for %s by rate times gradient over AdaGrad norm', (_, make, width) => {
    const own = new VectorWeights(width, dimensions, 0);
    for (let k = 0; k < own.weights.length; k++) own.weights[k] = 2 * random.next() - 1;
    const weights = make(own);
    const lattice = newLattice();
    const slopes = Array.from(own.weights, (_weight, k) => slope(own.weights, k, weights, lattice));
    const before = own.weights.slice();
    likelihood(weights, lattice);
    weights.accumulate({ ...active, vectors }, n, gradientByScore(lattice));
    weights.apply(1);
    expect(slopes.some((g) => Math.abs(g) > 0.1)).toBe(true);
    slopes.forEach((g, k) => expect(own.weights[k]! - before[k]!).toBeCloseTo((0.02 * g) / Math.sqrt(g * g + 0.1), 3));
  });

  it('shrinks only the weights it touches by the decay', () => {
    const weights = new FullWeights(5, tags, 0.5, 1e9);
    weights.weights.fill(1);
    const gradient = new Float64Array(n * tags).fill(1e-6);
    weights.accumulate(active, n, gradient);
    weights.apply(1);
    expect(weights.weights[0]).toBeCloseTo(1 - 0.1 * 0.5, 5);
    expect(weights.weights[4 * tags]).toBe(1);
  });
});

describe('saved weights', () => {
  it.each([
    ['full', () => new FullWeights(4, tags, 0.01, 0.01)],
    ['low-rank', () => new LowRankWeights(4, tags, 3, 1, 0.01, new Random(8))],
    ['full with vectors', () => new FullWeights(4, tags, 0.01, 0.01, new VectorWeights(tags, dimensions, 0.01))],
    [
      'low-rank with vectors',
      () => new LowRankWeights(4, tags, 3, 1, 0.01, new Random(8), new VectorWeights(3, dimensions, 0.01)),
    ],
  ])('%s: continue to identical bits', (_, make) => {
    const [one, other] = [make(), make()];
    const run = (weights: EmissionWeights, steps: number) => {
      const lattice = newLattice();
      for (let k = 0; k < steps; k++) {
        likelihood(weights, lattice);
        weights.accumulate({ ...active, vectors }, n, gradientByScore(lattice));
        weights.apply(1);
      }
      return likelihood(weights, lattice);
    };
    run(one, 3);
    run(other, 1);
    other.restoreState(one.saveState());
    expect(run(other, 4)).toBe(run(one, 4));
  });
});

describe('the mean of full weights', () => {
  it('scores as the mean of the scores', () => {
    const all = Array.from({ length: 3 }, () => {
      const weights = new FullWeights(4, tags, 0, 0, new VectorWeights(tags, dimensions, 0));
      for (const part of [weights.weights, weights.vectors!.weights])
        for (let k = 0; k < part.length; k++) part[k] = 2 * random.next() - 1;
      return weights;
    });
    const scoresOf = (weights: FullWeights): Float64Array => {
      const scores = new Float64Array(n * tags);
      weights.score({ ...active, vectors }, n, scores);
      return scores;
    };
    const parts = all.map(scoresOf);
    scoresOf(FullWeights.mean(all)).forEach((score, at) =>
      expect(score).toBeCloseTo(
        parts.reduce((sum, part) => sum + part[at]! / 3, 0),
        5,
      ),
    );
  });
});
