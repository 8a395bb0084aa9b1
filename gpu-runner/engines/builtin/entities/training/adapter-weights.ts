import type { TrainSettings } from '../../../engine.js';
import type { FeatureDictionary } from '../../features/dictionary.js';
import type { HeadState } from '../../head.js';
import type { Random } from '../../random.js';
import type { EarlierHead } from '../earlier-head.js';
import { FrozenPlusLowRank } from '../weights/frozen-weights.js';
import { FullWeights } from '../weights/full-weights.js';
import { quantiseLowRank } from '../weights/low-rank-scorer.js';
import { LowRankWeights } from '../weights/low-rank-weights.js';
import { sparsify } from '../weights/sparse-weights.js';
import { joinStates } from '../states.js';
import { tagCount } from '../lattice/tags.js';
import { vectorState } from '../weights/vector-scorer.js';
import { VectorWeights } from '../weights/vector-weights.js';

/** The weights of an adapter that are trained. */
export type AdapterWeights = FullWeights | LowRankWeights | FrozenPlusLowRank;

/** loraAlpha / loraR at the defaults (32 / 16), where the low-rank delta counts once. */
const DEFAULT_LORA_RATIO = 2;
/** AdaGrad's sum of squares before the first gradient. */
const INITIAL_SQUARE = 0.01;
/** Decay per unit of rate at a weight decay of 1: a frequent weight is touched thousands of times. */
const DECAY_SCALE = 0.1;
/** Smallest weight kept in a full adapter's file. */
const PRUNE = 0.02;

export const loraScale = ({ loraAlpha, loraR }: TrainSettings): number => loraAlpha / loraR / DEFAULT_LORA_RATIO;

/**
 * Weights to train, from zero or from an earlier head. LoRA after LoRA continues with the same factors; LoRA after a
 * full adapter, or after one of higher rank, learns a delta over it, frozen.
 * @param dimensions of the word vectors learned from in addition to the features; 0 for none
 */
export function createAdapterWeights(
  settings: TrainSettings,
  dictionary: FeatureDictionary,
  labels: readonly string[],
  random: Random,
  earlier: EarlierHead | null,
  dimensions: number,
): AdapterWeights {
  const tags = tagCount(labels.length);
  const { trainingType, weightDecay, loraR } = settings;
  const decay = weightDecay * DECAY_SCALE;
  if (trainingType === 'full') {
    const vectors = dimensions === 0 ? null : new VectorWeights(tags, dimensions, decay);
    const weights = new FullWeights(dictionary.size, tags, decay, INITIAL_SQUARE, vectors);
    earlier?.addSparse(weights.weights, dictionary, labels);
    earlier?.addProduct(weights.weights, dictionary, labels);
    if (vectors) {
      earlier?.addVectors(vectors.weights, labels);
      earlier?.addVectorProduct(vectors.weights, labels);
    }
    return weights;
  }
  const vectors = dimensions === 0 ? null : new VectorWeights(loraR, dimensions, decay);
  const lowRank = new LowRankWeights(dictionary.size, tags, loraR, loraScale(settings), decay, random, vectors);
  const goesOn = earlier !== null && (earlier.lowRank === null || earlier.lowRank.rank <= loraR);
  if (earlier !== null && goesOn) earlier.putFactors(lowRank.a, lowRank.b, loraR, dictionary, labels);
  if (vectors && goesOn) earlier?.putVectorFactors(vectors.weights);
  if (earlier === null || (goesOn && earlier.sparse === null)) return lowRank;
  const frozen = new Float32Array(dictionary.size * tags);
  earlier.addSparse(frozen, dictionary, labels);
  if (!goesOn) earlier.addProduct(frozen, dictionary, labels);
  const frozenVectors = vectors && new Float32Array(tags * dimensions);
  if (frozenVectors) {
    earlier.addVectors(frozenVectors, labels);
    if (!goesOn) earlier.addVectorProduct(frozenVectors, labels);
  }
  return new FrozenPlusLowRank(frozen, lowRank, frozenVectors);
}

/** Weights in the served form: those of features pruned and quantised. */
export function exportAdapterWeights(weights: AdapterWeights, dictionary: FeatureDictionary): HeadState {
  if (weights instanceof FullWeights) {
    const { vectors } = weights;
    return joinStates({
      sparse: sparsify(dictionary, weights.weights, weights.tags, PRUNE),
      ...(vectors && { vectors: vectorState(vectors.dimensions, vectors.weights, null) }),
    });
  }
  const { a, b, rank, scale, tags, vectors } = weights instanceof LowRankWeights ? weights : weights.lowRank;
  const lowRank = {
    lowRank: quantiseLowRank(dictionary, a, b, rank, scale),
    ...(vectors && {
      lowRankVectors: vectorState(
        vectors.dimensions,
        vectors.weights,
        b.map((value) => value * scale),
      ),
    }),
  };
  if (weights instanceof LowRankWeights) return joinStates(lowRank);
  const { frozen, frozenVectors } = weights;
  return joinStates({
    ...lowRank,
    sparse: sparsify(dictionary, frozen, tags, 0),
    ...(frozenVectors && { vectors: vectorState(frozenVectors.length / tags, frozenVectors, null) }),
  });
}
