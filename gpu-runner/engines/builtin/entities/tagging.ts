import type { EntityHit } from '../../engine.js';
import { drain, type Steps } from '../../steps.js';
import type { Token } from '#primitives/text/tokens.js';
import { MAX_TEXT_TOKENS } from '../limits.js';
import { segmentTokens } from '../text/segments.js';
import type { Lattice } from './lattice/lattice.js';
import { likelySegments, SERVED_FLOOR, withoutOverlaps, type ScoredSpan } from './lattice/segments.js';

interface TagResult {
  /** Hits of all labels, in text order, non-overlapping: of two overlapping ones the more probable stays. */
  readonly hits: readonly EntityHit[];
  readonly inputTokens: number;
  /** Whether part of the text was beyond the limit of reading. */
  readonly truncated: boolean;
}

/** A model that finds entities. */
export interface EntityHead {
  readonly labels: readonly string[];
  /** Bytes of its tensors. */
  readonly byteSize: number;
  readonly tagger: Tagger;
  /** @param threshold 0 to 1: a hit's confidence, its exact segment marginal, is at least this */
  tag(text: string, threshold: number): TagResult;
}

export interface Tagger {
  readonly labels: readonly string[];
  /** Fills and sums the lattice for these tokens. */
  readonly run: (tokens: readonly Token[]) => Lattice;
  /** Confidence from which a hit counts if no threshold is given. */
  readonly decisionPoint: number;
  /**
   * Converts the likely segments of the lattice that `run` filled last to those of the head, if they differ; may give other
   * probabilities.
   */
  readonly relabel?: (segments: ScoredSpan[]) => ScoredSpan[];
}

/** A tagger and the entities that it is to find. */
interface Tagging {
  readonly tagger: Tagger;
  readonly threshold: number;
}

/** Tags a text segment by segment. */
export function tagText(text: string, threshold: number, tagger: Tagger): TagResult {
  const { hits, ...read } = drain(tagInSteps(text, [{ tagger, threshold }]));
  return { ...read, hits: hits[0]! };
}

/**
 * Tags a text for several heads at once: those that share a lattice cost one run of it. A step takes some milliseconds.
 * @returns hits of each head
 */
export function* tagInSteps(
  text: string,
  taggings: readonly Tagging[],
): Steps<Omit<TagResult, 'hits'> & { readonly hits: readonly (readonly EntityHit[])[] }> {
  const hits = taggings.map((): EntityHit[] => []);
  const byRun = Map.groupBy(taggings.keys(), (index) => taggings[index]!.tagger.run);
  let inputTokens = 0;
  for (const tokens of segmentTokens(text)) {
    if (inputTokens + tokens.length > MAX_TEXT_TOKENS) return { hits, inputTokens, truncated: true };
    inputTokens += tokens.length;
    for (const [run, indices] of byRun) {
      const lattice = run(tokens);
      let shared: ScoredSpan[] | undefined;
      for (const index of indices) {
        const { tagger, threshold } = taggings[index]!;
        const { relabel, labels } = tagger;
        const least = Math.max(SERVED_FLOOR, threshold);
        const segments = relabel
          ? relabel((shared ??= likelySegments(lattice, tokens.length, SERVED_FLOOR)))
          : likelySegments(lattice, tokens.length, least);
        for (const segment of withoutOverlaps(segments))
          if (segment.probability >= least) hits[index]!.push(hitOf(text, tokens, segment, labels));
      }
      // Only here, after the last use of the lattice: code that runs between two steps may use it.
      yield;
    }
  }
  return { hits, inputTokens, truncated: false };
}

function hitOf(
  text: string,
  tokens: readonly Token[],
  { first, end, label, probability }: ScoredSpan,
  labels: readonly string[],
): EntityHit {
  const start = tokens[first]!.start;
  const stop = tokens[end - 1]!.end;
  return { start, end: stop, label: labels[label]!, text: text.slice(start, stop), confidence: probability };
}
