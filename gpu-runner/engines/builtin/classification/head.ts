import { ArtifactError } from '../../engine.js';
import type { HeadState, TensorData } from '../head.js';
import type { SentenceEncoder } from '../text-encoder.js';
import { marginScores, type MarginMachine } from './training/margin-machine.js';
import { sigmoid, softmaxInPlace } from './probability.js';
import { QuantizedRows } from './quantized.js';
import { TERMS_VERSION } from './terms/terms.js';
import { Vocabulary, type SparseVector } from './terms/vocabulary.js';

/** A trained classifier of texts. */
export interface ClassificationHead {
  readonly labels: readonly string[];
  /** True: each label has its own probability. False: the probabilities of the labels sum to 1. */
  readonly multiLabel: boolean;
  /** Whether it reads the vectors of texts, in addition to their terms. */
  readonly readsVectors: boolean;
  /** Bytes of its tensors. */
  readonly byteSize: number;
  /** Probability from which one of several labels counts if no threshold is given; .5 if one is chosen. */
  readonly decisionPoint: number;
  /**
   * Calibrated probabilities, [labels].
   * @param subset indices of labels to choose among; in single mode the probabilities of these then sum to 1 and the result
   *   has their order and number
   */
  probabilities(text: string, subset?: readonly number[]): Float64Array;
}

/**
 * Scores are linear in tf-idf: x W + bias, where W is a full matrix, a low-rank product, or the sum of both (a full adapter
 * continued with LoRA). All rows of W and A belong to terms of the vocabulary.
 */
export interface LinearWeights {
  readonly full: QuantizedRows | null;
  readonly lowRank: { readonly a: QuantizedRows; readonly b: Float32Array; readonly scale: number } | null;
  /** [labels] */
  readonly bias: Float32Array;
}

export interface StoredHead {
  readonly labels: readonly string[];
  readonly multiLabel: boolean;
  readonly temperature: number;
  /** The best threshold between a label and none; .5 when one label is chosen. */
  readonly decisionPoint: number;
  readonly vocabulary: Vocabulary;
  readonly weights: LinearWeights;
  /** Null if the head does not read vectors of texts. */
  readonly vectors: VectorWeights | null;
  /** The same for those of the encoder's inner layer. */
  readonly innerVectors: VectorWeights | null;
}

/** Weights of the vector of a text, which add to the scores: factor * (x W + bias). */
interface VectorWeights {
  /** Name of the kind of vectors; null if it was not stored. */
  readonly of: string | null;
  /** [dimensions, labels] and [labels] */
  readonly machine: MarginMachine;
  readonly factor: number;
}

/**
 * Takes an exported head without copying its tensors.
 * @param encoder of the base; null if it has none
 * @throws ArtifactError when the terms are of another version, the tensors do not fit each other, or the encoder
 * differs
 */
export function loadClassificationHead(state: HeadState, encoder: SentenceEncoder | null = null): ClassificationHead {
  const stored = parseHead(state);
  const { labels, multiLabel, temperature, decisionPoint } = stored;
  const scoresOf = scorerOf(stored, encoder);
  return {
    labels,
    multiLabel,
    readsVectors: stored.vectors !== null || stored.innerVectors !== null,
    decisionPoint,
    byteSize: Object.values(state.tensors).reduce((sum, tensor) => sum + tensor.data.byteLength, 0),
    probabilities(text, subset) {
      const all = scoresOf(text);
      const scores = subset === undefined ? all : Float64Array.from(subset, (label) => all[label]!);
      if (multiLabel) return scores.map((score) => sigmoid(score / temperature));
      softmaxInPlace(scores, temperature);
      return scores;
    },
  };
}

/** @returns a function from a text to the scores of its labels */
function scorerOf(
  { vocabulary, weights, vectors, innerVectors }: StoredHead,
  encoder: SentenceEncoder | null,
): (text: string) => Float64Array {
  const adders = [
    ...(vectors ? [adderOf(vectors, encoder)] : []),
    ...(innerVectors ? [adderOf(innerVectors, encoder?.inner ?? null)] : []),
  ];
  return (text) => {
    const scores = linearScores(weights, vocabulary.vectorize(text));
    for (const add of adders) add(text, scores);
    return scores;
  };
}

/** @returns a function that adds the scores of a text's vector to others */
function adderOf(
  vectors: VectorWeights,
  encoder: SentenceEncoder | null,
): (text: string, scores: Float64Array) => void {
  requireVectors(vectors, encoder);
  const { machine, factor } = vectors;
  const indices = Int32Array.from({ length: encoder.sentenceDimensions }, (_, dimension) => dimension);
  return (text, scores) => {
    const added = marginScores(machine, { indices, values: encoder.sentence(text) });
    for (let label = 0; label < scores.length; label++) scores[label]! += factor * added[label]!;
  };
}

/** @throws ArtifactError when the weights were learned from other vectors than the encoder's */
export function requireVectors(
  { of, machine }: VectorWeights,
  encoder: SentenceEncoder | null,
): asserts encoder is SentenceEncoder {
  const dimensions = machine.weights.length / machine.bias.length;
  if (encoder?.sentenceDimensions !== dimensions)
    throw new ArtifactError(
      `The classification head reads vectors of ${dimensions} dimensions, which the base model does not have.`,
    );
  if (of !== null && of !== encoder.sentenceVectors)
    throw new ArtifactError(
      `The classification head reads vectors of texts (${of}); the base model has ${encoder.sentenceVectors}. Train it again.`,
    );
}

/** @returns [labels] */
export function linearScores({ full, lowRank, bias }: LinearWeights, { indices, values }: SparseVector): Float64Array {
  const scores = Float64Array.from(bias);
  if (full !== null) for (let i = 0; i < indices.length; i++) full.addRow(indices[i]!, values[i]!, scores);
  if (lowRank !== null) {
    const { a, b, scale } = lowRank;
    const projected = new Float64Array(a.width);
    for (let i = 0; i < indices.length; i++) a.addRow(indices[i]!, values[i]!, projected);
    for (let k = 0; k < a.width; k++) {
      const factor = scale * projected[k]!;
      for (let label = 0; label < scores.length; label++) scores[label]! += factor * b[k * scores.length + label]!;
    }
  }
  return scores;
}

export function exportHead(head: StoredHead): HeadState {
  const { full, lowRank, bias } = head.weights;
  const { vectors, innerVectors: inner } = head;
  return {
    config: {
      terms_version: TERMS_VERSION,
      labels: [...head.labels],
      multi_label: head.multiLabel,
      temperature: head.temperature,
      decision_point: head.decisionPoint,
      ...(lowRank === null ? {} : { rank: lowRank.a.width, scale: lowRank.scale }),
      ...(vectors === null ? {} : { vector_factor: vectors.factor, vectors_of: vectors.of }),
      ...(inner === null ? {} : { inner_vector_factor: inner.factor, inner_vectors_of: inner.of }),
    },
    tensors: {
      ...head.vocabulary.toTensors(),
      bias: { shape: [bias.length], data: bias },
      ...(full === null ? {} : full.toTensors('weight')),
      ...(lowRank === null
        ? {}
        : { ...lowRank.a.toTensors('lora_a'), lora_b: { shape: [lowRank.a.width, bias.length], data: lowRank.b } }),
      ...(vectors === null ? {} : vectorTensors('vector', vectors.machine)),
      ...(inner === null ? {} : vectorTensors('inner_vector', inner.machine)),
    },
  };
}

type VectorName = 'vector' | 'inner_vector';

const vectorTensors = (name: VectorName, { weights, bias }: MarginMachine): HeadState['tensors'] => ({
  [`${name}_weight`]: { shape: [weights.length / bias.length, bias.length], data: weights },
  [`${name}_bias`]: { shape: [bias.length], data: bias },
});

/** @throws ArtifactError when the tensors are damaged */
export function parseVocabulary(state: Pick<HeadState, 'tensors'>): Vocabulary {
  const slots = state.tensors['term_slots']?.shape[0] ?? 0;
  const terms = state.tensors['term_weights']?.shape[0] ?? 0;
  if (slots < 1 || (slots & (slots - 1)) !== 0) throw unfit('term_slots');
  const slotTerms = take(state, 'term_slots', Int32Array, slots);
  if (!slotTerms.includes(-1) || slotTerms.some((term) => term < -1 || term >= terms)) throw unfit('term_slots');
  const keys = take(state, 'term_keys', Uint32Array, 2 * slots);
  return new Vocabulary(keys, slotTerms, take(state, 'term_weights', Float32Array, terms));
}

export function parseHead(state: HeadState): StoredHead {
  if (state.config['terms_version'] !== TERMS_VERSION)
    throw new ArtifactError(
      `The classification head has terms of version ${JSON.stringify(state.config['terms_version'])}, not ${TERMS_VERSION}.`,
    );
  const { labels, multi_label: multiLabel, temperature, decision_point: decisionPoint, rank, scale } = state.config;
  if (!Array.isArray(labels) || !labels.every((label) => typeof label === 'string')) throw unfit('labels');
  if (typeof multiLabel !== 'boolean') throw unfit('multi_label');
  if (typeof temperature !== 'number' || !(temperature > 0)) throw unfit('temperature');
  if (typeof decisionPoint !== 'number' || !(decisionPoint > 0 && decisionPoint < 1)) throw unfit('decision_point');

  const vocabulary = parseVocabulary(state);
  const terms = vocabulary.size;
  const classes = labels.length;
  const rowsOf = (name: string, width: number) =>
    new QuantizedRows(
      take(state, name, Int8Array, terms * width),
      take(state, `${name}_scales`, Float32Array, terms),
      width,
    );
  const isLowRank = state.tensors['lora_a'] !== undefined;
  if (isLowRank && (typeof rank !== 'number' || typeof scale !== 'number')) throw unfit('rank');
  return {
    labels,
    multiLabel,
    temperature,
    decisionPoint,
    vocabulary,
    weights: {
      full: state.tensors['weight'] === undefined ? null : rowsOf('weight', classes),
      lowRank: isLowRank
        ? {
            a: rowsOf('lora_a', rank as number),
            b: take(state, 'lora_b', Float32Array, (rank as number) * classes),
            scale: scale as number,
          }
        : null,
      bias: take(state, 'bias', Float32Array, classes),
    },
    vectors: parseVectors(state, 'vector', classes),
    innerVectors: parseVectors(state, 'inner_vector', classes),
  };
}

function parseVectors(state: HeadState, name: VectorName, classes: number): VectorWeights | null {
  const dimensions = state.tensors[`${name}_weight`]?.shape[0];
  if (dimensions === undefined) return null;
  const { [`${name}_factor`]: factor, [`${name}s_of`]: of = null } = state.config;
  if (typeof factor !== 'number' || !Number.isFinite(factor)) throw unfit(`${name}_factor`);
  if (of !== null && typeof of !== 'string') throw unfit(`${name}s_of`);
  const weights = take(state, `${name}_weight`, Float32Array, dimensions * classes);
  return { of, machine: { weights, bias: take(state, `${name}_bias`, Float32Array, classes) }, factor };
}

function take<T extends TensorData>(
  state: Pick<HeadState, 'tensors'>,
  name: string,
  type: new (length: number) => T,
  length: number,
): T {
  const data = state.tensors[name]?.data;
  if (!(data instanceof type) || data.length !== length) throw unfit(name);
  return data;
}

function unfit(what: string): ArtifactError {
  return new ArtifactError(`The classification head is damaged: ${what} is missing or does not fit the rest.`);
}
