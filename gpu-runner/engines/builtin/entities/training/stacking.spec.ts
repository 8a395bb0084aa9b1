import { Random } from '../../random.js';
import { fitStack, stackInto, type Opinions } from './stacking.js';

const CLASSES = 3;
const random = new Random(5);
const logs = (right: number, share: number): Float64Array =>
  Float64Array.from({ length: CLASSES }, (_, k) => Math.log(k === right ? share : (1 - share) / (CLASSES - 1)));

/** Opinions of which each is right as often as its confidence in `says` claims, or by chance. */
function opinions(count: number, says: { readonly first: number | null; readonly second: number | null }): Opinions[] {
  const opinionOf = (gold: number, share: number | null): Float64Array => {
    const knows = random.next() < (share ?? 1 / CLASSES);
    const other = (gold + 1 + random.below(CLASSES - 1)) % CLASSES;
    return logs(knows ? gold : other, share ?? 0.9);
  };
  return Array.from({ length: count }, () => {
    const gold = random.below(CLASSES);
    return { gold, first: opinionOf(gold, says.first), second: opinionOf(gold, says.second) };
  });
}

const lossOf = (of: readonly Opinions[], stack: Parameters<typeof stackInto>[0]): number => {
  const scores = new Float64Array(CLASSES);
  return of.reduce((sum, { first, second, gold }) => {
    stackInto(stack, first, second, scores);
    return sum - Math.log(scores[gold]!) / of.length;
  }, 0);
};

describe('a stack of two opinions', () => {
  it('counts both if both know something, with a lower loss on others of the kind', () => {
    const stack = fitStack(opinions(2000, { first: 0.7, second: 0.8 }), CLASSES);
    expect(stack.slope).toBeCloseTo(1, 0);
    expect(stack.weight).toBeCloseTo(1, 0);
    const others = opinions(2000, { first: 0.7, second: 0.8 });
    const alone = { slope: 1, weight: 0, bias: new Float64Array(CLASSES) };
    expect(lossOf(others, stack)).toBeLessThan(lossOf(others, alone) - 0.1);
  });

  it('leaves out the second if it knows nothing', () => {
    const { weight } = fitStack(opinions(2000, { first: 0.7, second: null }), CLASSES);
    expect(weight).toBeLessThan(0.05);
  });

  it('takes the first as it is if there is nothing to learn from', () => {
    expect(fitStack([], CLASSES)).toEqual({ slope: 1, weight: 0, bias: new Float64Array(CLASSES) });
  });

  it('gives a class that is right more often than both say a higher bias', () => {
    const unsure = { first: logs(0, 1 / CLASSES), second: logs(0, 1 / CLASSES) };
    const { bias } = fitStack(
      Array.from({ length: 300 }, (_, k) => ({ ...unsure, gold: k % 3 === 0 ? 1 : 2 })),
      CLASSES,
    );
    expect(bias[2]!).toBeGreaterThan(bias[1]!);
    expect(bias[1]!).toBeGreaterThan(bias[0]!);
  });
});
