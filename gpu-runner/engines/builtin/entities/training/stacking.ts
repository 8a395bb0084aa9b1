import { softmax } from '../spans/span-vectors.js';

/** What two models think of a span: scores of each class, logarithms up to a constant. */
export interface Opinions {
  readonly first: Float64Array;
  readonly second: Float64Array;
  /** The right class. */
  readonly gold: number;
}

/** How two opinions become one: `slope` times the first and `weight` times the second, and a bias for each class. */
export interface Stack {
  readonly slope: number;
  readonly weight: number;
  readonly bias: Float64Array;
}

/** Rounds from no change, and from a stack of nearly the same opinions. */
const ROUNDS = 12;
const FURTHER_ROUNDS = 4;
/** Strength of the pull towards the first opinion as it is, which counts where spans are few. */
const PULL = 4;
const MIN_SLOPE = 0.05;

/**
 * The stack with the least log loss: Newton's method for the two factors, in turn with steps of the bias that never overshoot.
 * @param start a stack of nearly the same opinions
 */
export function fitStack(opinions: readonly Opinions[], classes: number, start: Stack | null = null): Stack {
  let { slope, weight } = start ?? { slope: 1, weight: 0 };
  const bias = start?.bias.slice() ?? new Float64Array(classes);
  const scores = new Float64Array(classes);
  for (let round = 0; round < (start ? FURTHER_ROUNDS : ROUNDS); round++) {
    let [gradA, gradB, aa, ab, bb] = [PULL * (slope - 1), PULL * weight, PULL, 0, PULL];
    for (const { first, second, gold } of opinions) {
      stackInto({ slope, weight, bias }, first, second, scores);
      let [a, b, a2, ab2, b2] = [0, 0, 0, 0, 0];
      for (let k = 0; k < classes; k++) {
        const p = scores[k]!;
        const [x, y] = [first[k]!, second[k]!];
        a += p * x;
        b += p * y;
        a2 += p * x * x;
        ab2 += p * x * y;
        b2 += p * y * y;
      }
      gradA += a - first[gold]!;
      gradB += b - second[gold]!;
      aa += a2 - a * a;
      ab += ab2 - a * b;
      bb += b2 - b * b;
    }
    const determinant = aa * bb - ab * ab;
    slope = Math.max(MIN_SLOPE, slope - clipped((bb * gradA - ab * gradB) / determinant));
    weight = Math.max(0, weight - clipped((aa * gradB - ab * gradA) / determinant));
    const gradient = bias.map((value) => PULL * value);
    const curvature = new Float64Array(classes).fill(PULL);
    for (const { first, second, gold } of opinions) {
      stackInto({ slope, weight, bias }, first, second, scores);
      for (let k = 0; k < classes; k++) {
        gradient[k]! += scores[k]!;
        curvature[k]! += scores[k]!;
      }
      gradient[gold]! -= 1;
    }
    for (let k = 0; k < classes; k++) bias[k]! -= clipped(gradient[k]! / curvature[k]!);
  }
  return { slope, weight, bias };
}

/** Probabilities of the classes by two opinions together. */
export function stackInto(
  { slope, weight, bias }: Stack,
  first: Float64Array,
  second: Float64Array,
  to: Float64Array,
): void {
  for (let k = 0; k < to.length; k++) to[k] = slope * first[k]! + weight * second[k]! + bias[k]!;
  softmax(to);
}

const clipped = (step: number): number => Math.max(-0.5, Math.min(0.5, step));
