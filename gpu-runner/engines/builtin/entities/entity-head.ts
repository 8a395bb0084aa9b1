import { FeatureExtractor } from '../features/extractor.js';
import type { HeadState } from '../head.js';
import type { TextEncoder } from '../text-encoder.js';
import type { Token } from '#primitives/text/tokens.js';
import type { BaseTagger } from './base-tagger.js';
import { Lattice } from './lattice/lattice.js';
import type { ScoredSpan } from './lattice/segments.js';
import { loadLowRankScorer } from './weights/low-rank-scorer.js';
import { BasePrior } from './prior.js';
import { loadSparseWeights } from './weights/sparse-weights.js';
import { loadSpanVectors } from './spans/span-vectors.js';
import { numbersOf, partOfState, requireFeatureVersion } from './states.js';
import { tagText, type EntityHead } from './tagging.js';
import { tagCount } from './lattice/tags.js';
import { loadVectorScorer } from './weights/vector-scorer.js';
import { readVectors, WordVectors } from './word-vectors.js';

/**
 * Takes an exported head, without copying its tensors.
 * @param encoder whose vectors of words it reads, if it learned from any
 * @throws ArtifactError when the state is of another feature version, lacks a tensor, or has vectors of another encoder
 */
export function loadEntityHead(state: HeadState, base: BaseTagger, encoder: TextEncoder | null = null): EntityHead {
  const { config } = state;
  requireFeatureVersion(state, 'The adapter');
  const labels = config['labels'] as readonly string[];
  const temperature = config['temperature'] as number;
  const decisionPoint = config['decisionPoint'] as number;
  const priorWeight = config['priorWeight'] as number;
  const sparse = partOfState(state, 'sparse');
  const lowRank = partOfState(state, 'lowRank');
  const scorers = [...(sparse ? [loadSparseWeights(sparse)] : []), ...(lowRank ? [loadLowRankScorer(lowRank)] : [])];
  const wordsState = partOfState(state, 'words');
  const words = wordsState && WordVectors.load(wordsState, encoder);
  const vectorScorers = ['vectors', 'lowRankVectors'].flatMap((name) => {
    const part = partOfState(state, name);
    return part ? [loadVectorScorer(part, words?.dimensions ?? 0, tagCount(labels.length))] : [];
  });
  const prior = new BasePrior(config['priorTypes'] as readonly (readonly number[])[], base.labels.length);
  const extractor = new FeatureExtractor(base.gazetteer);
  const baseTags = tagCount(base.labels.length);
  const lattice = new Lattice(labels.length);
  lattice.setTransitions(numbersOf(state, 'transitions', Float32Array), temperature);
  const spansState = partOfState(state, 'spans');
  const spans = spansState && loadSpanVectors(spansState, words?.dimensions ?? 0, labels.length);
  let vectors = new Float32Array(0);
  /** Tokens that `vectors` are of. */
  let count = 0;
  const run = (tokens: readonly Token[]): Lattice => {
    const n = tokens.length;
    const { tags } = lattice;
    const marginals = base.marginals(tokens);
    extractor.extract(tokens, { marginals, tags: baseTags });
    lattice.reserve(n);
    const scores = lattice.scores.fill(0, 0, n * tags);
    for (const scorer of scorers) scorer.add(extractor.high, extractor.low, extractor.offsets, n, tags, scores);
    if (words) {
      const stored = words.of(tokens);
      if (vectors.length < stored.length) vectors = new Float32Array(2 * stored.length);
      readVectors(stored, 0, stored.length, vectors);
      count = n;
      for (const scorer of vectorScorers) scorer.add(vectors, n, tags, scores);
    }
    if (priorWeight !== 0 && !prior.isEmpty) {
      for (let i = 0; i < n; i++) {
        const values = prior.scores(marginals, i);
        for (let tag = 0; tag < tags; tag++) scores[i * tags + tag]! += priorWeight * values[tag]!;
      }
    }
    if (temperature !== 1) for (let k = 0; k < n * tags; k++) scores[k]! /= temperature;
    lattice.forwardBackward(n);
    return lattice;
  };
  const byteSize = Object.values(state.tensors).reduce((sum, { data }) => sum + data.byteLength, 0);
  const relabel = spans && ((segments: readonly ScoredSpan[]) => spans.rescore(segments, vectors, count));
  const tagger = { labels, run, decisionPoint, ...(relabel && { relabel }) };
  return { labels, byteSize, tagger, tag: (text, threshold) => tagText(text, threshold, tagger) };
}
