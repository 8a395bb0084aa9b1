import type { Example } from '../../engine.js';
import type { Steps } from '../../steps.js';
import { QuantizedRows } from '../classification/quantized.js';
import { VectorWeights } from '../entities/weights/vector-weights.js';
import { addVector, type WordVectors } from '../entities/word-vectors.js';
import type { HeadState } from '../head.js';
import { segmentTokens } from '../text/segments.js';
import { mentionsOf, type MentionTypes } from './mention-types.js';
import { readBetween, type PlacedMention } from './pairs.js';

/** Weights of the vectors of pairs, which add to the scores of their features. */
export interface PairVectors {
  readonly words: WordVectors;
  /** [relations, 4 * dimensions]; see `readPairVector`. */
  readonly weights: QuantizedRows;
}

/** Vectors in a pair's vector. */
const PARTS = 4;
/** Part of the words between, by the direction of the pair. */
const BETWEEN = { forward: 2, backward: 3 } as const;
/** Rate relative to that of an entity head's word vectors: a pair's vector has four times their numbers. */
const RELATIVE_RATE = 0.25;

/** Numbers in a pair's vector. */
export const pairDimensions = ({ dimensions }: WordVectors): number => PARTS * dimensions;

/**
 * Writes the vector of an ordered pair: the mean vectors of the words of its head, of the words of its tail, and of the words between,
 * which have one of two places by the direction; the other is zero. Words of pairs far apart are read as their features are.
 * @param vectors of the text's tokens, as `WordVectors` stores them
 * @param to receives [4 * dimensions]
 */
export function readPairVector(vectors: Int8Array, head: PlacedMention, tail: PlacedMention, to: Float32Array): void {
  const dimensions = to.length / PARTS;
  const addMean = (part: number, ranges: readonly (readonly [from: number, to: number])[]) => {
    const count = ranges.reduce((sum, [from, end]) => sum + end - from, 0);
    for (const [from, end] of ranges)
      for (let token = from; token < end; token++)
        addVector(vectors, token, dimensions, 1 / count, to, part * dimensions);
  };
  to.fill(0);
  addMean(0, [[head.first, head.end]]);
  addMean(1, [[tail.first, tail.end]]);
  if (head.index < tail.index) addMean(BETWEEN.forward, readBetween(head, tail));
  else addMean(BETWEEN.backward, readBetween(tail, head));
}

/** Adds the products of a pair's vector and the weights of some relations. @param weights [relations, vector's length] */
export function addPairScores(
  weights: Float32Array,
  vector: Float32Array,
  relations: readonly number[],
  scores: Float32Array | Float64Array,
): void {
  for (const relation of relations) {
    const row = relation * vector.length;
    let sum = 0;
    for (let d = 0; d < vector.length; d++) sum += weights[row + d]! * vector[d]!;
    scores[relation]! += sum;
  }
}

/** Vectors of the tokens of each row that may have pairs, up to its last mention. */
export function* vectorsOfRows(
  rows: readonly Example[],
  types: MentionTypes,
  words: WordVectors,
): Steps<ReadonlyMap<Example, Int8Array>> {
  const read = new Map<Example, Int8Array>();
  for (const row of rows) {
    const mentions = mentionsOf(row, types);
    if (mentions.length < 2) continue;
    const parts: Int8Array[] = [];
    for (const tokens of segmentTokens(row.text)) {
      if (tokens[0]!.start >= mentions.at(-1)!.end) break;
      parts.push(words.of(tokens));
      yield;
    }
    read.set(row, joined(parts));
  }
  return read;
}

/** The vectors of consecutive segments in one. */
export function joined(parts: readonly Int8Array[]): Int8Array {
  const whole = new Int8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A pair as its vector is read. */
export interface VectorPair {
  /** Of the tokens of its text; null if they are not read. */
  readonly vectors: Int8Array | null;
  readonly head: PlacedMention;
  readonly tail: PlacedMention;
  /** Relations that are scored. */
  readonly candidates: readonly number[];
}

/** Learns the weights of the vectors of pairs. */
export class PairVectorLearner {
  private readonly weights: VectorWeights;
  /** Of the pair scored last. */
  private readonly vector: Float32Array;

  /** @param decay decoupled weight decay per unit of rate @param earlier weights of an earlier job for the first relations */
  constructor(
    private readonly words: WordVectors,
    relations: number,
    decay: number,
    earlier: PairVectors | null,
  ) {
    this.vector = new Float32Array(pairDimensions(words));
    this.weights = new VectorWeights(relations, this.vector.length, decay);
    if (earlier !== null) this.weights.continueFrom(earlier.weights.toFloat32());
  }

  /** Adds to the scores of the pair's candidates. */
  score(pair: VectorPair, scores: Float32Array | Float64Array): void {
    if (pair.vectors === null) return;
    readPairVector(pair.vectors, pair.head, pair.tail, this.vector);
    addPairScores(this.weights.weights, this.vector, pair.candidates, scores);
  }

  /** Adds the gradient of the pair scored last. @param errors derivative of the loss by each score, [relations] */
  accumulate(pair: VectorPair, errors: Float32Array): void {
    if (pair.vectors !== null) this.weights.accumulate(this.vector, 0, errors, 0, -1);
  }

  apply(rate: number): void {
    this.weights.apply(RELATIVE_RATE * rate);
  }

  export(): PairVectors {
    return { words: this.words, weights: QuantizedRows.from(this.weights.weights, this.vector.length) };
  }

  saveState(): HeadState {
    return this.weights.saveState();
  }

  restoreState(state: HeadState): void {
    this.weights.restoreState(state);
  }
}
