import fc from 'fast-check';
import { Random } from '../../random.js';
import { Lattice } from './lattice.js';
import { pathScore } from '../training/learner.js';
import { likelySegments, withoutOverlaps } from './segments.js';
import { readTags, tagCount } from './tags.js';
import { transitionCount, transitionIndex } from './transitions.js';

/** All legal tag sequences of a length. */
function legalPaths(n: number, labels: number): number[][] {
  if (n === 0) return [[]];
  return legalPaths(n - 1, labels).flatMap((path) =>
    Array.from({ length: tagCount(labels) }, (_, tag) => tag)
      .filter((tag) => transitionIndex(labels, path.at(-1) ?? -1, tag) >= 0)
      .map((tag) => [...path, tag]),
  );
}

function randomModel(seed: number, n: number, labels: number, spread: number) {
  const random = new Random(seed);
  const draw = () => spread * (2 * random.next() - 1);
  const drawStep = () => Math.min(spread, 4) * (2 * random.next() - 1);
  const lattice = new Lattice(labels);
  lattice.reserve(n);
  for (let k = 0; k < n * lattice.tags; k++) lattice.scores[k] = draw();
  const weights = Float32Array.from({ length: transitionCount(labels) }, drawStep);
  lattice.setTransitions(weights);
  const paths = legalPaths(n, labels);
  const scores = paths.map((path) => pathScore(path, 0, n, labels, lattice.scores, weights));
  const top = Math.max(...scores);
  const total = scores.reduce((sum, score) => sum + Math.exp(score - top), 0);
  const logTotal = top + Math.log(total);
  const probabilities = scores.map((score) => Math.exp(score - logTotal));
  return { lattice, paths, logTotal, probabilities };
}

const models = fc.record({
  seed: fc.integer(),
  n: fc.integer({ min: 1, max: 5 }),
  labels: fc.integer({ min: 1, max: 2 }),
  spread: fc.constantFrom(0.5, 3, 12),
});

describe('the lattice, against enumeration of every legal path', () => {
  it('sums to the log of the total', () => {
    fc.assert(
      fc.property(models, ({ seed, n, labels, spread }) => {
        const { lattice, logTotal } = randomModel(seed, n, labels, spread);
        expect(lattice.forwardBackward(n)).toBeCloseTo(logTotal, 6);
      }),
    );
  });

  it('gives the marginal of every tag at every token', () => {
    fc.assert(
      fc.property(models, ({ seed, n, labels, spread }) => {
        const { lattice, paths, probabilities } = randomModel(seed, n, labels, spread);
        lattice.forwardBackward(n);
        for (let i = 0; i < n; i++) {
          for (let tag = 0; tag < lattice.tags; tag++) {
            const expected = paths.reduce((sum, path, k) => sum + (path[i] === tag ? probabilities[k]! : 0), 0);
            expect(lattice.marginals[i * lattice.tags + tag]).toBeCloseTo(expected, 6);
          }
        }
      }),
    );
  });

  it('gives the expected use of every transition weight', () => {
    fc.assert(
      fc.property(models, ({ seed, n, labels, spread }) => {
        const { lattice, paths, probabilities } = randomModel(seed, n, labels, spread);
        lattice.forwardBackward(n);
        const found = new Float64Array(transitionCount(labels));
        lattice.addExpectedTransitions(n, found, 1);
        const expected = new Float64Array(found.length);
        paths.forEach((path, k) =>
          path.forEach((tag, i) => (expected[transitionIndex(labels, path[i - 1] ?? -1, tag)]! += probabilities[k]!)),
        );
        found.forEach((value, k) => expect(value).toBeCloseTo(expected[k]!, 6));
      }),
    );
  });

  it('gives the exact probability of every segment above the floor, and no other', () => {
    fc.assert(
      fc.property(models, ({ seed, n, labels, spread }) => {
        const { lattice, paths, probabilities } = randomModel(seed, n, labels, spread);
        lattice.forwardBackward(n);
        const expected = new Map<string, number>();
        paths.forEach((path, k) => {
          for (const { first, end, label } of readTags(path, 0, n, labels)) {
            const key = `${first}-${end}-${label}`;
            expected.set(key, (expected.get(key) ?? 0) + probabilities[k]!);
          }
        });
        const found = likelySegments(lattice, n, 0.01);
        for (const { first, end, label, probability } of found) {
          expect(probability).toBeCloseTo(expected.get(`${first}-${end}-${label}`)!, 6);
        }
        const keys = new Set(found.map(({ first, end, label }) => `${first}-${end}-${label}`));
        for (const [key, probability] of expected) if (probability > 0.0101) expect(keys).toContain(key);
      }),
    );
  });

  it('stays finite with scores far apart and an illegal best tag', () => {
    const lattice = new Lattice(2);
    lattice.reserve(3);
    lattice.scores.fill(-500);
    for (let i = 0; i < 3; i++) lattice.scores[i * lattice.tags + 3] = 500;
    lattice.setTransitions(new Float32Array(transitionCount(2)));
    expect(Number.isFinite(lattice.forwardBackward(3))).toBe(true);
    for (let i = 0; i < 3; i++) {
      const row = lattice.marginals.subarray(i * lattice.tags, (i + 1) * lattice.tags);
      expect(row.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
    }
  });
});

describe('overlapping segments', () => {
  it('are reduced to the most probable compatible ones, in order', () => {
    const segments = [
      { first: 0, end: 2, label: 0, probability: 0.3 },
      { first: 1, end: 3, label: 1, probability: 0.4 },
      { first: 3, end: 4, label: 0, probability: 0.2 },
      { first: 2, end: 4, label: 0, probability: 0.35 },
      { first: 0, end: 1, label: 1, probability: 0.1 },
    ];
    expect(withoutOverlaps(segments).map(({ first, end }) => [first, end])).toEqual([
      [0, 1],
      [1, 3],
      [3, 4],
    ]);
  });
});
