import { ArtifactError, type EntityHit } from '../../engine.js';
import type { Steps } from '../../steps.js';
import { linearScores } from '../classification/head.js';
import { sigmoid } from '../classification/probability.js';
import { calibrated } from '../entities/calibration.js';
import { loadEntityHead, partOfState, tagInSteps, type BaseTagger, type EntityHead } from '../entities/index.js';
import type { FeatureDictionary } from '../features/dictionary.js';
import { MAX_FOUND, type HeadState } from '../head.js';
import type { Token } from '#primitives/text/tokens.js';
import type { TextEncoder } from '../text-encoder.js';
import type { Mention } from './mention-types.js';
import { addPairScores, joined, pairDimensions, readPairVector, type PairVectors } from './pair-vectors.js';
import { pairsOf, readText, visitPair, type PlacedMention, type ReadText } from './pairs.js';
import { parsePairs, type RelationShape, type StoredPairs } from './stored-pairs.js';

/** Names of the parts of a head's state. */
export const MENTIONS = 'mentions';
export const PAIRS = 'pairs';

/** A mention that the tagger found. */
interface FoundMention extends Mention {
  readonly hit: EntityHit;
}

export interface FoundRelation {
  readonly name: string;
  readonly head: FoundMention;
  readonly tail: FoundMention;
  /** Calibrated probability, 0 to 1. */
  readonly confidence: number;
}

interface FoundRelations {
  /** In text order of their heads. */
  readonly relations: readonly FoundRelation[];
  readonly inputTokens: number;
  /** Part of the text was not read, or there are more than `MAX_FOUND`. */
  readonly truncated: boolean;
}

/** A trained finder of relations, and of the mentions that they join. */
export interface RelationHead {
  readonly relations: readonly RelationShape[];
  /** Confidence from which a relation counts if no threshold is given. */
  readonly decisionPoint: number;
  /** Bytes of its tensors. */
  readonly byteSize: number;
  /** @param threshold 0 to 1: a relation's confidence is at least this */
  find(text: string, threshold: number): Steps<FoundRelations>;
}

/** Mentions below this share of their decision point are not paired. */
const MENTIONS_FROM = 0.4;
/** Below this confidence no relation is returned, whatever the threshold: there are as many such relations as pairs. */
const MIN_CONFIDENCE = 0.01;
/** Scores in one step: each pair has one for each relation. */
const SCORES_IN_STEP = 5_000;
/** The features of a pair take some tenths of a millisecond. */
const MAX_PAIRS_IN_STEP = 25;

/** @throws ArtifactError when the state is of another version, is damaged, or lacks a part */
export function loadRelationHead(state: HeadState, base: BaseTagger, encoder: TextEncoder | null): RelationHead {
  const mentions = partOfState(state, MENTIONS);
  const pairs = partOfState(state, PAIRS);
  if (mentions === null || pairs === null)
    throw new ArtifactError('The relation head of the artifact lacks its tagger or its pairs.');
  return relationHead(loadEntityHead(mentions, base, encoder), parsePairs(pairs, encoder));
}

export function relationHead({ tagger, byteSize }: EntityHead, pairs: StoredPairs): RelationHead {
  const { relations, dictionary, weights, vectors, calibration, decisionPoint } = pairs;
  const addVectorScores = vectors && vectorScorer(vectors);
  const joining = relationsByTypes(relations);
  const pairsInStep = Math.max(1, Math.min(MAX_PAIRS_IN_STEP, Math.floor(SCORES_IN_STEP / relations.length)));
  return {
    relations,
    decisionPoint,
    byteSize: byteSize + dictionary.size * 8,
    *find(text, threshold) {
      const segments: Int8Array[] = [];
      const run = (tokens: readonly Token[]) => {
        // Beside the tagger, which reads the same vectors: the encoder may not keep those of a whole text.
        if (vectors) segments.push(vectors.words.of(tokens));
        return tagger.run(tokens);
      };
      const { hits, inputTokens, truncated } = yield* tagInSteps(text, [
        { tagger: { ...tagger, run }, threshold: MENTIONS_FROM * tagger.decisionPoint },
      ]);
      const ofText = joined(segments);
      const read = readText(
        text,
        hits[0]!.map((hit): FoundMention => ({ start: hit.start, end: hit.end, type: hit.label, hit })),
      );
      const found: FoundRelation[] = [];
      const least = Math.max(threshold, MIN_CONFIDENCE);
      const sureness = ({ mention }: PlacedMention<FoundMention>) =>
        halvedAt(tagger.decisionPoint, mention.hit.confidence);
      let looked = 0;
      for (const [head, tail] of pairsOf(read)) {
        const candidates = joining(head.mention.type, tail.mention.type);
        if (candidates.length === 0) continue;
        if ((looked += 1) % pairsInStep === 0) yield;
        const scores = linearScores(weights, pairVector(read, head, tail, dictionary));
        addVectorScores?.(ofText, head, tail, candidates, scores);
        const mentions = sureness(head) * sureness(tail);
        for (const relation of candidates) {
          const confidence = calibrated(sigmoid(scores[relation]!) * mentions, calibration);
          if (confidence < least) continue;
          found.push({ name: relations[relation]!.name, head: head.mention, tail: tail.mention, confidence });
        }
        if (found.length > MAX_FOUND) break;
      }
      const isFull = found.length > MAX_FOUND;
      if (isFull) found.length = MAX_FOUND;
      found.sort((a, b) => a.head.start - b.head.start || a.tail.start - b.tail.start);
      return { relations: found, inputTokens, truncated: truncated || isFull };
    },
  };
}

/** @returns a function that adds to the scores of a pair's relations */
function vectorScorer({ words, weights }: PairVectors) {
  const floats = weights.toFloat32();
  const vector = new Float32Array(pairDimensions(words));
  return (
    ofText: Int8Array,
    head: PlacedMention,
    tail: PlacedMention,
    candidates: readonly number[],
    scores: Float64Array,
  ): void => {
    readPairVector(ofText, head, tail, vector);
    addPairScores(floats, vector, candidates, scores);
  };
}

/** A probability whose odds are scaled so that `point` becomes one half. */
function halvedAt(point: number, probability: number): number {
  const odds = (((1 - point) / point) * probability) / (1 - probability);
  return 1 / (1 + 1 / odds);
}

/** The relations, by index, that may join mentions of two types. */
export function relationsByTypes(
  relations: readonly RelationShape[],
): (head: string, tail: string) => readonly number[] {
  const joining = new Map<string, number[]>();
  for (const [index, { types }] of relations.entries())
    for (const [head, tail] of types) {
      const key = `${head} ${tail}`;
      if (joining.get(key)?.push(index) === undefined) joining.set(key, [index]);
    }
  return (head, tail) => joining.get(`${head} ${tail}`) ?? NONE;
}

const NONE: readonly number[] = [];

/** The features of a pair that the dictionary has, each with the same weight, of length 1 together. */
export function pairVector(
  text: ReadText,
  head: PlacedMention,
  tail: PlacedMention,
  dictionary: FeatureDictionary,
): { readonly indices: Int32Array; readonly values: Float32Array } {
  const rows = new Set<number>();
  visitPair(text, head, tail, (high, low) => {
    const row = dictionary.find(high, low);
    if (row >= 0) rows.add(row);
  });
  const indices = Int32Array.from(rows);
  return { indices, values: new Float32Array(indices.length).fill(1 / Math.sqrt(Math.max(1, indices.length))) };
}
