import { FeatureDictionary } from '../../features/dictionary.js';
import type { HeadState } from '../../head.js';
import type { EmissionScorer } from './scorer.js';
import { numbersOf } from '../states.js';

/** Low-rank emission weights as served: A in int8 with one scale for each of its columns, folded into B. */
class LowRankScorer implements EmissionScorer {
  private readonly hidden: Float64Array;

  /** @param a [features, rank] @param b [rank, tags], scales and LoRA factor included */
  constructor(
    private readonly dictionary: FeatureDictionary,
    private readonly a: Int8Array,
    private readonly b: Float32Array,
    private readonly rank: number,
  ) {
    this.hidden = new Float64Array(rank);
  }

  add(high: Uint32Array, low: Uint32Array, offsets: Uint32Array, n: number, tags: number, scores: Float64Array): void {
    const { dictionary, a, b, rank } = this;
    const hidden = this.hidden;
    for (let i = 0; i < n; i++) {
      hidden.fill(0);
      for (let k = offsets[i]!; k < offsets[i + 1]!; k++) {
        const row = dictionary.find(high[k]!, low[k]!);
        if (row < 0) continue;
        const from = row * rank;
        for (let j = 0; j < rank; j++) hidden[j]! += a[from + j]!;
      }
      const to = i * tags;
      for (let j = 0; j < rank; j++) {
        const h = hidden[j]!;
        for (let tag = 0; tag < tags; tag++) scores[to + tag]! += h * b[j * tags + tag]!;
      }
    }
  }

  get byteSize(): number {
    return this.dictionary.high.byteLength * 2 + this.a.byteLength + this.b.byteLength;
  }
}

/** Quantises A. @param scale the LoRA factor, folded into the B that is exported */
export function quantiseLowRank(
  dictionary: FeatureDictionary,
  a: Float32Array,
  b: Float32Array,
  rank: number,
  scale: number,
): HeadState {
  const tags = b.length / rank;
  const largest = new Float64Array(rank);
  for (let k = 0; k < a.length; k++) largest[k % rank] = Math.max(largest[k % rank]!, Math.abs(a[k]!));
  const units = largest.map((value) => value / 127 || 1);
  const quantised = new Int8Array(a.length);
  for (let k = 0; k < a.length; k++) quantised[k] = Math.round(a[k]! / units[k % rank]!);
  const folded = b.map((value, k) => value * scale * units[Math.floor(k / tags)]!);
  const { high, low } = dictionary;
  return {
    config: { rank, tags, units: [...units] },
    tensors: {
      high: { shape: [high.length], data: high },
      low: { shape: [low.length], data: low },
      a: { shape: [dictionary.size, rank], data: quantised },
      b: { shape: [rank, tags], data: folded },
    },
  };
}

/** @throws ArtifactError when a tensor is missing */
export function loadLowRankScorer(state: HeadState): LowRankScorer {
  return new LowRankScorer(
    new FeatureDictionary(numbersOf(state, 'high', Uint32Array), numbersOf(state, 'low', Uint32Array)),
    numbersOf(state, 'a', Int8Array),
    numbersOf(state, 'b', Float32Array),
    state.config['rank'] as number,
  );
}

/**
 * The factors again, to train on from an exported state.
 * @param scale the LoRA factor of the training to come, taken out of B again
 */
export function unquantiseLowRank(
  state: HeadState,
  scale: number,
): {
  readonly dictionary: FeatureDictionary;
  readonly a: Float32Array;
  readonly b: Float32Array;
  readonly rank: number;
} {
  const rank = state.config['rank'] as number;
  const tags = state.config['tags'] as number;
  const units = state.config['units'] as readonly number[];
  return {
    dictionary: new FeatureDictionary(numbersOf(state, 'high', Uint32Array), numbersOf(state, 'low', Uint32Array)),
    a: Float32Array.from(numbersOf(state, 'a', Int8Array), (value, k) => value * units[k % rank]!),
    b: numbersOf(state, 'b', Float32Array).map((value, k) => value / (scale * units[Math.floor(k / tags)]!)),
    rank,
  };
}
