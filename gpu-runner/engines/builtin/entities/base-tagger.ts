import { ArtifactError } from '../../engine.js';
import { FeatureExtractor } from '../features/extractor.js';
import { loadGazetteer, type Gazetteer } from '../features/gazetteer.js';
import type { HeadState } from '../head.js';
import type { Token } from '#primitives/text/tokens.js';
import { Lattice } from './lattice/lattice.js';
import type { ScoredSpan } from './lattice/segments.js';
import { loadSparseWeights } from './weights/sparse-weights.js';
import { numbersOf, partOfState, requireFeatureVersion } from './states.js';
import { tagText, type EntityHead, type Tagger } from './tagging.js';

/** The base model: a tagger with its own types, whose marginals are prior and features of every adapter. */
export interface BaseTagger extends EntityHead {
  readonly gazetteer: Gazetteer;
  /**
   * Marginal tag probabilities, row-major [tokens, 2 * types + 1]: column 0 is O, 1 + k is B of type k, 1 + types + k is I of
   * type k. The array is reused: valid until the next call.
   */
  marginals(tokens: readonly Token[]): Float64Array;
  /** The lattice after `marginals`' work for these tokens; reused. @internal to the entities folder */
  readonly run: (tokens: readonly Token[]) => Lattice;
}

/**
 * Takes what `trainBaseTagger` gave, without copying its tensors.
 * @throws ArtifactError when the state is of another feature version or lacks a tensor
 */
export function loadBaseTagger(state: HeadState): BaseTagger {
  requireFeatureVersion(state, 'The base model');
  const gazetteerState = partOfState(state, 'gazetteer');
  const weightsState = partOfState(state, 'weights');
  if (!gazetteerState || !weightsState) throw new ArtifactError('The base model lacks its gazetteer or its weights.');
  const labels = state.config['types'] as readonly string[];
  const gazetteer = loadGazetteer(gazetteerState);
  const weights = loadSparseWeights(weightsState);
  const extractor = new FeatureExtractor(gazetteer);
  const lattice = new Lattice(labels.length);
  lattice.setTransitions(numbersOf(state, 'transitions', Float32Array));
  const run = (tokens: readonly Token[]): Lattice => {
    const n = tokens.length;
    extractor.extract(tokens, null);
    lattice.reserve(n);
    lattice.scores.fill(0, 0, n * lattice.tags);
    weights.add(extractor.high, extractor.low, extractor.offsets, n, lattice.tags, lattice.scores);
    lattice.forwardBackward(n);
    return lattice;
  };
  const byteSize = Object.values(state.tensors).reduce((sum, { data }) => sum + data.byteLength, 0);
  const tagger = { labels, run, decisionPoint: DECISION_POINT };
  return {
    labels,
    gazetteer,
    byteSize,
    run,
    marginals: (tokens) => run(tokens).marginals,
    tagger,
    tag: (text, threshold) => tagText(text, threshold, tagger),
  };
}

/** The base has no labelled rows from which to choose a better one. */
const DECISION_POINT = 0.5;

/**
 * The base alone under other labels ("zero-shot"): the confidence of a label is the sum over its types.
 * @param types label -> base types; labels without types are never found
 */
export function mappedHead(base: BaseTagger, types: ReadonlyMap<string, readonly string[]>): EntityHead {
  const labels = [...types.keys()];
  const byType: number[][] = base.labels.map((type) =>
    labels.flatMap((label, k) => (types.get(label)!.includes(type) ? [k] : [])),
  );
  const relabel = (found: ScoredSpan[]) => sumByLabel(found, byType);
  const tagger: Tagger = { labels, run: base.run, decisionPoint: DECISION_POINT, relabel };
  return { labels, byteSize: 0, tagger, tag: (text, threshold) => tagText(text, threshold, tagger) };
}

/** Adds up the probabilities of equal segments whose types belong to one label. */
function sumByLabel(segments: readonly ScoredSpan[], byType: readonly (readonly number[])[]): ScoredSpan[] {
  const sums = new Map<string, ScoredSpan>();
  for (const { first, end, label: type, probability } of segments) {
    for (const label of byType[type]!) {
      const key = `${first} ${end} ${label}`;
      const sum = Math.min(1, (sums.get(key)?.probability ?? 0) + probability);
      sums.set(key, { first, end, label, probability: sum });
    }
  }
  return [...sums.values()];
}
