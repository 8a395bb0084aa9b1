import { FeatureDictionary } from '../../features/dictionary.js';
import type { HeadState } from '../../head.js';
import { numbersOf } from '../states.js';
import type { EmissionScorer } from './scorer.js';

/** Emission weights as served: most are zero, the others are int8 times one scale. Immutable; holds the arrays it was given. */
class SparseWeights implements EmissionScorer {
  constructor(
    private readonly dictionary: FeatureDictionary,
    /** [features + 1] into the next two. */
    private readonly offsets: Uint32Array,
    private readonly columns: Uint8Array | Uint32Array,
    private readonly values: Int8Array,
    private readonly scale: number,
  ) {}

  add(high: Uint32Array, low: Uint32Array, offsets: Uint32Array, n: number, tags: number, scores: Float64Array): void {
    const { dictionary, columns, values, scale } = this;
    for (let i = 0; i < n; i++) {
      const to = i * tags;
      for (let k = offsets[i]!; k < offsets[i + 1]!; k++) {
        const row = dictionary.find(high[k]!, low[k]!);
        if (row < 0) continue;
        const end = this.offsets[row + 1]!;
        for (let j = this.offsets[row]!; j < end; j++) scores[to + columns[j]!]! += scale * values[j]!;
      }
    }
  }

  get byteSize(): number {
    const { dictionary, offsets, columns, values } = this;
    return dictionary.high.byteLength * 2 + offsets.byteLength + columns.byteLength + values.byteLength;
  }
}

/**
 * Prunes and quantises dense weights. Features left without a weight are dropped.
 * @param weights [features, tags] @param prune smallest magnitude kept
 */
export function sparsify(dictionary: FeatureDictionary, weights: Float32Array, tags: number, prune: number): HeadState {
  let largest = 0;
  for (const weight of weights) largest = Math.max(largest, Math.abs(weight));
  const scale = largest / 127 || 1;
  const cut = Math.max(prune, scale / 2);
  const kept: number[] = [];
  let entries = 0;
  for (let row = 0; row < dictionary.size; row++) {
    const before = entries;
    for (let k = row * tags; k < (row + 1) * tags; k++) if (Math.abs(weights[k]!) >= cut) entries++;
    if (entries > before) kept.push(row);
  }
  const high = new Uint32Array(kept.length);
  const low = new Uint32Array(kept.length);
  const offsets = new Uint32Array(kept.length + 1);
  const columns = tags <= 256 ? new Uint8Array(entries) : new Uint32Array(entries);
  const values = new Int8Array(entries);
  let entry = 0;
  kept.forEach((row, k) => {
    high[k] = dictionary.high[row]!;
    low[k] = dictionary.low[row]!;
    for (let tag = 0; tag < tags; tag++) {
      const weight = weights[row * tags + tag]!;
      if (Math.abs(weight) < cut) continue;
      columns[entry] = tag;
      values[entry++] = Math.round(weight / scale);
    }
    offsets[k + 1] = entry;
  });
  return {
    config: { scale, tags },
    tensors: {
      high: { shape: [high.length], data: high },
      low: { shape: [low.length], data: low },
      offsets: { shape: [offsets.length], data: offsets },
      columns: { shape: [entries], data: columns },
      values: { shape: [entries], data: values },
    },
  };
}

/** @throws ArtifactError when a tensor is missing */
export function loadSparseWeights(state: HeadState): SparseWeights {
  const columns = state.tensors['columns']?.data instanceof Uint8Array ? Uint8Array : Uint32Array;
  return new SparseWeights(
    new FeatureDictionary(numbersOf(state, 'high', Uint32Array), numbersOf(state, 'low', Uint32Array)),
    numbersOf(state, 'offsets', Uint32Array),
    numbersOf<Uint8Array | Uint32Array>(state, 'columns', columns),
    numbersOf(state, 'values', Int8Array),
    state.config['scale'] as number,
  );
}

/** The dictionary and the dense weights again, to train on from an exported state. */
export function densify(state: HeadState): { readonly dictionary: FeatureDictionary; readonly weights: Float32Array } {
  const dictionary = new FeatureDictionary(numbersOf(state, 'high', Uint32Array), numbersOf(state, 'low', Uint32Array));
  const offsets = numbersOf(state, 'offsets', Uint32Array);
  const columns = state.tensors['columns']!.data;
  const values = numbersOf(state, 'values', Int8Array);
  const tags = state.config['tags'] as number;
  const weights = new Float32Array(dictionary.size * tags);
  for (let row = 0; row < dictionary.size; row++) {
    for (let k = offsets[row]!; k < offsets[row + 1]!; k++) {
      weights[row * tags + (columns[k] as number)] = values[k]! * (state.config['scale'] as number);
    }
  }
  return { dictionary, weights };
}
