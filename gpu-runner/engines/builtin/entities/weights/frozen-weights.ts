import type { HeadState } from '../../head.js';
import type { LowRankWeights } from './low-rank-weights.js';
import { addVectorProducts } from './vector-weights.js';
import type { ActiveFeatures, EmissionWeights } from './weights.js';

/** Low-rank weights that learn on top of full ones that do not: LoRA over an earlier full adapter. */
export class FrozenPlusLowRank implements EmissionWeights {
  private scores = new Float64Array(0);

  /** @param frozen [features, tags] @param frozenVectors [tags, dimensions], or null for none */
  constructor(
    readonly frozen: Float32Array,
    readonly lowRank: LowRankWeights,
    readonly frozenVectors: Float32Array | null = null,
  ) {}

  score(active: ActiveFeatures, n: number, scores: Float64Array): void {
    const { frozen } = this;
    const { tags } = this.lowRank;
    this.lowRank.score(active, n, scores);
    if (this.scores.length < tags) this.scores = new Float64Array(tags);
    const sums = this.scores;
    for (let i = 0; i < n; i++) {
      sums.fill(0);
      for (let k = active.offsets[i]!; k < active.offsets[i + 1]!; k++) {
        const from = active.features[k]! * tags;
        for (let tag = 0; tag < tags; tag++) sums[tag]! += frozen[from + tag]!;
      }
      for (let tag = 0; tag < tags; tag++) scores[i * tags + tag]! += active.value * sums[tag]!;
    }
    const held = this.frozenVectors;
    if (held) addVectorProducts(active.vectors!, held, held.length / tags, n, scores);
  }

  accumulate(active: ActiveFeatures, n: number, gradient: Float64Array): void {
    this.lowRank.accumulate(active, n, gradient);
  }

  apply(rate: number): void {
    this.lowRank.apply(rate);
  }

  saveState(): HeadState {
    return this.lowRank.saveState();
  }

  restoreState(state: HeadState): void {
    this.lowRank.restoreState(state);
  }
}
