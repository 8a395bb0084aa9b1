import { ArtifactError } from '../../engine.js';
import type { LinearWeights } from '../classification/head.js';
import { QuantizedRows } from '../classification/quantized.js';
import { UNCHANGED, type Calibration } from '../entities/calibration.js';
import { joinStates, partOfState } from '../entities/index.js';
import { WordVectors } from '../entities/word-vectors.js';
import { FeatureDictionary } from '../features/dictionary.js';
import { isRecord } from '#primitives/values.js';
import type { HeadState } from '../head.js';
import type { TextEncoder } from '../text-encoder.js';
import { pairDimensions, type PairVectors } from './pair-vectors.js';
import { PAIRS_VERSION } from './pairs.js';

/** A relation, and the types of mentions between which some row has it. */
export interface RelationShape {
  readonly name: string;
  readonly types: readonly (readonly [head: string, tail: string])[];
}

/** Classifiers of the relations between two mentions: a logistic regression for each, over the features of the pair and its vector. */
export interface StoredPairs {
  readonly relations: readonly RelationShape[];
  /** Features by hash, a row of weights each; a column of weights for each relation. */
  readonly dictionary: FeatureDictionary;
  readonly weights: LinearWeights;
  /** Null if the words' vectors are not read. */
  readonly vectors: PairVectors | null;
  /** From the product of a pair's three probabilities to its confidence. */
  readonly calibration: Calibration;
  /** Confidence from which a relation counts. */
  readonly decisionPoint: number;
}

export function exportPairs(pairs: StoredPairs): HeadState {
  const { relations, dictionary, weights, vectors, calibration, decisionPoint } = pairs;
  const { full, lowRank, bias } = weights;
  const words = joinStates(vectors === null ? {} : { words: vectors.words.state() });
  return {
    config: {
      pairs_version: PAIRS_VERSION,
      relations: relations.map(({ name, types }) => ({ name, types: types.map((pair) => [...pair]) })),
      calibration: { ...calibration },
      decision_point: decisionPoint,
      ...(lowRank === null ? {} : { rank: lowRank.a.width, scale: lowRank.scale }),
      ...words.config,
    },
    tensors: {
      feature_high: { shape: [dictionary.size], data: dictionary.high },
      feature_low: { shape: [dictionary.size], data: dictionary.low },
      bias: { shape: [bias.length], data: bias },
      ...(full === null ? {} : full.toTensors('weight')),
      ...(lowRank === null
        ? {}
        : { ...lowRank.a.toTensors('lora_a'), lora_b: { shape: [lowRank.a.width, bias.length], data: lowRank.b } }),
      ...vectors?.weights.toTensors('vector_weight'),
      ...words.tensors,
    },
  };
}

/**
 * @param encoder whose vectors of words the head reads, if it learned from any
 * @throws ArtifactError when the features are of another version, the tensors do not fit each other, or the encoder differs
 */
export function parsePairs(state: HeadState, encoder: TextEncoder | null): StoredPairs {
  const { pairs_version: version, relations, decision_point: decisionPoint, rank, scale } = state.config;
  if (version !== PAIRS_VERSION)
    throw new ArtifactError(
      `The relation head has pairs of version ${JSON.stringify(version)}, not ${PAIRS_VERSION}: train it anew.`,
    );
  if (!Array.isArray(relations)) throw unfit('relations');
  const calibration = state.config['calibration'] ?? UNCHANGED;
  if (!isCalibration(calibration)) throw unfit('calibration');
  if (typeof decisionPoint !== 'number' || !(decisionPoint > 0 && decisionPoint < 1)) throw unfit('decision_point');
  const features = state.tensors['feature_high']?.shape[0] ?? 0;
  const width = relations.length;
  const take = <T extends { readonly length: number }>(
    name: string,
    type: new (length: number) => T,
    length: number,
  ): T => {
    const data: unknown = state.tensors[name]?.data;
    if (!(data instanceof type) || data.length !== length) throw unfit(name);
    return data;
  };
  const rowsOf = (name: string, columns: number, rows = features) =>
    new QuantizedRows(take(name, Int8Array, rows * columns), take(`${name}_scales`, Float32Array, rows), columns);
  // Heads of earlier releases, and those of a base without vectors of words, have none.
  const wordsState = partOfState(state, 'words');
  const words = wordsState && WordVectors.load(wordsState, encoder);
  const isLowRank = state.tensors['lora_a'] !== undefined;
  if (isLowRank && (typeof rank !== 'number' || typeof scale !== 'number')) throw unfit('rank');
  return {
    relations: relations,
    calibration,
    decisionPoint,
    dictionary: new FeatureDictionary(
      take('feature_high', Uint32Array, features),
      take('feature_low', Uint32Array, features),
    ),
    weights: {
      full: state.tensors['weight'] === undefined ? null : rowsOf('weight', width),
      lowRank: isLowRank
        ? {
            a: rowsOf('lora_a', rank as number),
            b: take('lora_b', Float32Array, (rank as number) * width),
            scale: scale as number,
          }
        : null,
      bias: take('bias', Float32Array, width),
    },
    vectors: words && { words, weights: rowsOf('vector_weight', pairDimensions(words), width) },
  };
}

const unfit = (what: string): ArtifactError =>
  new ArtifactError(`The relation head is damaged: ${what} is missing or does not fit the rest.`);

/** Heads of earlier releases have none. */
const isCalibration = (value: unknown): value is Calibration =>
  isRecord(value) && Number(value['slope']) > 0 && Number.isFinite(value['slope']) && Number.isFinite(value['shift']);
