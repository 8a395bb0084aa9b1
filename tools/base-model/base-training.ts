import type { Example } from '#gpu-runner/engines/engine.js';
import { FeatureExtractor, FEATURE_VERSION } from '#gpu-runner/engines/builtin/features/extractor.js';
import type { Gazetteer } from '#gpu-runner/engines/builtin/features/gazetteer.js';
import type { HeadState } from '#gpu-runner/engines/builtin/head.js';
import { Random } from '#gpu-runner/engines/builtin/random.js';
import { FullWeights } from '#gpu-runner/engines/builtin/entities/weights/full-weights.js';
import { CrfLearner } from '#gpu-runner/engines/builtin/entities/training/learner.js';
import { learningRateFactor } from '#gpu-runner/engines/builtin/entities/training/learning-rate.js';
import { compileTraining } from '#gpu-runner/engines/builtin/entities/training/rows.js';
import { drain } from '#gpu-runner/engines/steps.js';
import { sparsify } from '#gpu-runner/engines/builtin/entities/weights/sparse-weights.js';
import { joinStates } from '#gpu-runner/engines/builtin/entities/states.js';
import { tagCount } from '#gpu-runner/engines/builtin/entities/lattice/tags.js';

interface BaseTrainingOptions {
  readonly gazetteer: Gazetteer;
  /** Types in the order of the tag columns; a label in the examples that is not among them is an error. */
  readonly types: readonly string[];
  readonly seed: number;
  /** Default 4. */
  readonly epochs?: number;
  /** Rows a step. Default 16. */
  readonly batchSize?: number;
  /** Share of features left out of each token while training. Default .15. */
  readonly dropout?: number;
  /** Features seen less often are left out. Default 2. */
  readonly minimumCount?: number;
  /** Weights smaller than this (in nats) are dropped from the file. Default .05. */
  readonly prune?: number;
  readonly log?: (message: string) => void;
}

/**
 * Trains the base tagger: a plain CRF over the types. The state holds it pruned, quantised to int8, together with its
 * gazetteer.
 * @throws RangeError when a label is not among the types
 */
export function trainBaseTagger(examples: readonly Example[], options: BaseTrainingOptions): HeadState {
  const {
    gazetteer,
    types,
    seed,
    epochs = 4,
    batchSize = 16,
    dropout = 0.15,
    minimumCount = 2,
    prune = 0.05,
  } = options;
  const log = options.log ?? (() => undefined);
  requireKnownLabels(examples, types);
  const random = new Random(seed);
  const context = { labels: types, extractor: new FeatureExtractor(gazetteer), base: null, prior: null, words: null };
  const { rows, dictionary } = drain(
    compileTraining(examples, context, minimumCount, {
      flattened: 0,
      empty: 0,
      cutTokens: 0,
    }),
  );
  log(`${rows.rowCount} rows, ${rows.tokenCount} tokens, ${dictionary.size} features`);
  const weights = new FullWeights(dictionary.size, tagCount(types.length), 0, 0.01);
  const learner = new CrfLearner({
    labels: types.length,
    weights,
    train: rows,
    batchSize,
    dropout,
    priorWeight: 0,
    transitionRate: 0.002,
    random,
  });
  const total = epochs * learner.stepsPerEpoch;
  for (let epoch = 0, step = 0; epoch < epochs; epoch++) {
    let loss = 0;
    for (let k = 0; k < learner.stepsPerEpoch; k++, step++)
      loss += learner.step(learningRateFactor('linear', step, total, 0.02));
    log(`epoch ${epoch + 1} of ${epochs}: mean loss of a row ${(loss / learner.stepsPerEpoch).toFixed(4)}`);
  }
  const { transitions } = learner;
  const parts = joinStates({
    gazetteer: gazetteer.toState(),
    weights: sparsify(dictionary, weights.weights, tagCount(types.length), prune),
  });
  return {
    config: { featureVersion: FEATURE_VERSION, types, seed, epochs, ...parts.config },
    tensors: { transitions: { shape: [transitions.length], data: transitions.slice() }, ...parts.tensors },
  };
}

function requireKnownLabels(examples: readonly Example[], types: readonly string[]): void {
  const known = new Set(types);
  for (const { entities = [] } of examples) {
    for (const { label } of entities)
      if (!known.has(label)) throw new RangeError(`"${label}" is not a type of the base.`);
  }
}
