import type { TrainSettings } from '../../engine.js';
import type { FeatureDictionary } from '../features/dictionary.js';
import type { HeadState } from '../head.js';
import type { Random } from '../random.js';
import type { EarlierHead } from './earlier-head.js';
import { FrozenPlusLowRank } from './frozen-weights.js';
import { FullWeights } from './full-weights.js';
import { quantiseLowRank } from './low-rank-scorer.js';
import { LowRankWeights } from './low-rank-weights.js';
import { sparsify } from './sparse-weights.js';
import { joinStates } from './states.js';
import { tagCount } from './tags.js';

/** What learns in an adapter. */
export type AdapterWeights = FullWeights | LowRankWeights | FrozenPlusLowRank;

/** loraAlpha / loraR at the defaults (32 / 16), where the low-rank delta counts once. */
const defaultLoraRatio = 2;
/** AdaGrad's sum of squares before the first gradient. */
const initialSquare = 0.01;
/** Decay per unit of rate at a weight decay of 1: a frequent weight is touched thousands of times. */
const decayScale = 0.1;
/** Smallest weight kept in a full adapter's file. */
const prune = 0.02;

export const loraScale = ({ loraAlpha, loraR }: TrainSettings): number => loraAlpha / loraR / defaultLoraRatio;

/**
 * Weights to train, at zero or where an earlier head left off. LoRA after LoRA goes on with the same factors; LoRA after a
 * full adapter, or after one of higher rank, learns a delta over it, frozen.
 */
export function createAdapterWeights(
  settings: TrainSettings,
  dictionary: FeatureDictionary,
  labels: readonly string[],
  random: Random,
  earlier: EarlierHead | null,
): AdapterWeights {
  const tags = tagCount(labels.length);
  const { trainingType, weightDecay, loraR } = settings;
  const decay = weightDecay * decayScale;
  if (trainingType === 'full') {
    const weights = new FullWeights(dictionary.size, tags, decay, initialSquare);
    earlier?.addSparse(weights.weights, dictionary, labels);
    earlier?.addProduct(weights.weights, dictionary, labels);
    return weights;
  }
  const lowRank = new LowRankWeights(dictionary.size, tags, loraR, loraScale(settings), decay, random);
  const goesOn = earlier !== null && (earlier.lowRank === null || earlier.lowRank.rank <= loraR);
  if (earlier !== null && goesOn) earlier.putFactors(lowRank.a, lowRank.b, loraR, dictionary, labels);
  if (earlier === null || (goesOn && earlier.sparse === null)) return lowRank;
  const frozen = new Float32Array(dictionary.size * tags);
  earlier.addSparse(frozen, dictionary, labels);
  if (!goesOn) earlier.addProduct(frozen, dictionary, labels);
  return new FrozenPlusLowRank(frozen, lowRank);
}

/** Weights as they are served: pruned and quantised. */
export function exportAdapterWeights(weights: AdapterWeights, dictionary: FeatureDictionary): HeadState {
  if (weights instanceof FullWeights) {
    return joinStates({ sparse: sparsify(dictionary, weights.weights, weights.tags, prune) });
  }
  const { a, b, rank, scale, tags } = weights instanceof LowRankWeights ? weights : weights.lowRank;
  const lowRank = quantiseLowRank(dictionary, a, b, rank, scale);
  if (weights instanceof LowRankWeights) return joinStates({ lowRank });
  return joinStates({ lowRank, sparse: sparsify(dictionary, weights.frozen, tags, 0) });
}
