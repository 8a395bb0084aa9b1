import { tagCount } from './tags.js';

/**
 * Share of the mass below which a label is left out as a source of steps into O or B (staying inside it is always counted).
 * Weights of steps differ by a few nats at most, so sums keep eight digits or more.
 */
const NEGLIGIBLE = 1e-11;
/** Emissions further than this below the best of their token count as this far below, which keeps every sum above zero. */
const MIN_EMISSION = -200;

/**
 * Sums over all legal tag sequences of one run of tokens, for a linear-chain CRF (Lafferty, McCallum, Pereira 2001).
 * Forward and backward quantities are probabilities scaled per token (Rabiner 1989, section V.A), not logarithms: one
 * exponential per token and tag instead of one per transition.
 *
 * Buffers grow and are reused; a call's results are valid until the next call.
 */
export class Lattice {
  readonly tags: number;
  /** [tokens, tags]: filled by the caller before `forwardBackward`. */
  scores = new Float64Array(0);
  /** [tokens, tags]: P(tag at token), after `forwardBackward`. */
  marginals = new Float64Array(0);
  /** [tokens, tags]: forward and backward probabilities, scaled so that their product is the marginal. */
  forward = new Float64Array(0);
  backward = new Float64Array(0);
  /** [tokens, tags]: exp(score - the token's best). */
  potentials = new Float64Array(0);
  /** [tokens]: sum of the forward step before scaling. */
  scales = new Float64Array(0);
  /** [L+2, L+1]: exp of the transition weights; and its first L+1 rows transposed. */
  private readonly steps: Float64Array;
  private readonly transposed: Float64Array;
  /** [2L]: exp of the weights B to I and I to I. */
  readonly stay: Float64Array;
  private readonly sums: Float64Array;
  /** [tokens, L+1]: the value of a step into O or B: potential * backward / scale. */
  private values = new Float64Array(0);
  /** Labels, or where their rows begin, that are not negligible; and the weights of such rows. */
  private readonly live: Int32Array;
  private readonly weights: Float64Array;

  constructor(readonly labels: number) {
    this.tags = tagCount(labels);
    const width = labels + 1;
    this.steps = new Float64Array((labels + 2) * width);
    this.transposed = new Float64Array(width * width);
    this.stay = new Float64Array(2 * labels);
    this.sums = new Float64Array(width);
    this.live = new Int32Array(width);
    this.weights = new Float64Array(width);
  }

  /** Makes room for `n` tokens. Contents are not kept. */
  reserve(n: number): void {
    const size = n * this.tags;
    if (this.scores.length >= size) return;
    this.scores = new Float64Array(size);
    this.marginals = new Float64Array(size);
    this.forward = new Float64Array(size);
    this.backward = new Float64Array(size);
    this.potentials = new Float64Array(size);
    this.values = new Float64Array(n * (this.labels + 1));
    this.scales = new Float64Array(n);
  }

  /** @param weights as laid out in transitions.ts; @param temperature divides them */
  setTransitions(weights: Float32Array, temperature = 1): void {
    const width = this.labels + 1;
    for (let k = 0; k < this.steps.length; k++) this.steps[k] = Math.exp(weights[k]! / temperature);
    for (let g = 0; g < width; g++) {
      for (let j = 0; j < width; j++) this.transposed[j * width + g] = this.steps[g * width + j]!;
    }
    for (let k = 0; k < this.stay.length; k++) {
      this.stay[k] = Math.exp(weights[this.steps.length + k]! / temperature);
    }
  }

  /** Fills `marginals` for the first `n` tokens of `scores`. @returns log of the sum over legal sequences of exp(score) */
  forwardBackward(n: number): number {
    if (n === 0) return 0;
    const logTotal = this.runForward(n);
    this.runBackward(n);
    return logTotal;
  }

  private runForward(n: number): number {
    const { labels, tags, scores, potentials, forward, stay } = this;
    const width = labels + 1;
    const { steps, sums, live, weights } = this;
    let logTotal = 0;
    for (let i = 0; i < n; i++) {
      const row = i * tags;
      let best = scores[row]!;
      for (let k = 1; k < tags; k++) if (scores[row + k]! > best) best = scores[row + k]!;
      for (let k = 0; k < tags; k++) potentials[row + k] = Math.exp(Math.max(scores[row + k]! - best, MIN_EMISSION));
      let total = 0;
      if (i === 0) {
        for (let j = 0; j < width; j++) {
          const value = potentials[j]! * steps[width * width + j]!;
          forward[j] = value;
          total += value;
        }
        forward.fill(0, width, tags);
      } else {
        const previous = row - tags;
        let lives = 0;
        for (let g = 0; g < width; g++) {
          const mass = g === 0 ? forward[previous]! : forward[previous + g]! + forward[previous + labels + g]!;
          if (mass < NEGLIGIBLE) continue;
          weights[lives] = mass;
          live[lives++] = g * width;
        }
        this.sumRows(steps, lives);
        for (let j = 0; j < width; j++) {
          const value = potentials[row + j]! * sums[j]!;
          forward[row + j] = value;
          total += value;
        }
        for (let k = 1; k < width; k++) {
          const begun = forward[previous + k]! * stay[k - 1]!;
          const gone = forward[previous + labels + k]! * stay[labels + k - 1]!;
          const value = potentials[row + labels + k]! * (begun + gone);
          forward[row + labels + k] = value;
          total += value;
        }
      }
      const inverse = 1 / total;
      for (let k = 0; k < tags; k++) forward[row + k]! *= inverse;
      this.scales[i] = total;
      logTotal += Math.log(total) + best;
    }
    return logTotal;
  }

  private runBackward(n: number): void {
    const { labels, tags, potentials, forward, backward, marginals, stay } = this;
    const width = labels + 1;
    const { transposed, sums, values, live, weights } = this;
    backward.fill(1, (n - 1) * tags, n * tags);
    for (let i = n - 2; i >= 0; i--) {
      const row = i * tags;
      const next = row + tags;
      const inverse = 1 / this.scales[i + 1]!;
      const at = (i + 1) * width;
      let largest = 0;
      for (let j = 0; j < width; j++) {
        const value = potentials[next + j]! * backward[next + j]! * inverse;
        values[at + j] = value;
        if (value > largest) largest = value;
      }
      let lives = 0;
      for (let j = 0; j < width; j++) {
        const value = values[at + j]!;
        if (value < NEGLIGIBLE * largest) continue;
        weights[lives] = value;
        live[lives++] = j * width;
      }
      this.sumRows(transposed, lives);
      backward[row] = sums[0]!;
      for (let k = 1; k < width; k++) {
        const inside = potentials[next + labels + k]! * backward[next + labels + k]! * inverse;
        backward[row + k] = sums[k]! + inside * stay[k - 1]!;
        backward[row + labels + k] = sums[k]! + inside * stay[labels + k - 1]!;
      }
    }
    for (let k = 0; k < n * tags; k++) marginals[k] = forward[k]! * backward[k]!;
  }

  /**
   * Sets `sums` to the sum of rows of a matrix, from the first `lives` entries of `live` and `weights`. Four rows at once, which
   * takes about half the time of one by one; the order of the additions is the same, and so is the result.
   */
  private sumRows(matrix: Float64Array, lives: number): void {
    const { sums, live, weights } = this;
    const width = this.labels + 1;
    sums.fill(0);
    let k = 0;
    for (; k + 3 < lives; k += 4) {
      const [a, b, c, d] = [live[k]!, live[k + 1]!, live[k + 2]!, live[k + 3]!];
      const [p, q, r, s] = [weights[k]!, weights[k + 1]!, weights[k + 2]!, weights[k + 3]!];
      for (let j = 0; j < width; j++)
        sums[j] = sums[j]! + p * matrix[a + j]! + q * matrix[b + j]! + r * matrix[c + j]! + s * matrix[d + j]!;
    }
    for (; k < lives; k++) {
      const from = live[k]!;
      const weight = weights[k]!;
      for (let j = 0; j < width; j++) sums[j]! += weight * matrix[from + j]!;
    }
  }

  /**
   * Adds the expected number of uses of each transition weight, times `factor`, to `gradient` (laid out as the weights).
   * To be called after `forwardBackward` for the same tokens.
   */
  addExpectedTransitions(n: number, gradient: Float64Array, factor: number): void {
    if (n === 0) return;
    const { labels, tags, potentials, forward, backward, stay } = this;
    const width = labels + 1;
    const stayAt = (labels + 2) * width;
    const live = this.live;
    for (let j = 0; j < width; j++) gradient[width * width + j]! += factor * this.marginals[j]!;
    for (let i = 1; i < n; i++) {
      const row = i * tags;
      const previous = row - tags;
      const inverse = 1 / this.scales[i]!;
      let lives = 0;
      for (let j = 0; j < width; j++) if (this.values[i * width + j]! > 1e-9) live[lives++] = j;
      for (let g = 0; g < width; g++) {
        const mass = g === 0 ? forward[previous]! : forward[previous + g]! + forward[previous + labels + g]!;
        if (mass < NEGLIGIBLE) continue;
        const from = g * width;
        for (let k = 0; k < lives; k++) {
          const j = live[k]!;
          gradient[from + j]! += factor * mass * this.steps[from + j]! * this.values[i * width + j]!;
        }
      }
      for (let k = 1; k < width; k++) {
        const inside = potentials[row + labels + k]! * backward[row + labels + k]! * inverse * factor;
        if (inside === 0) continue;
        gradient[stayAt + k - 1]! += inside * forward[previous + k]! * stay[k - 1]!;
        gradient[stayAt + labels + k - 1]! += inside * forward[previous + labels + k]! * stay[labels + k - 1]!;
      }
    }
  }
}
