import type { EntityHit } from '../../engine.js';
import type { Token } from '../text/tokens.js';
import { segmentTokens } from '../text/segments.js';
import { toConfidence, toMarginal } from './calibration.js';
import type { Lattice } from './lattice.js';
import { likelySegments, withoutOverlaps, type ScoredSpan } from './segments.js';

/** Tokens of one text that are read; what is beyond is left out and reported as truncated. */
export const maximumTokens = 50_000;
/** Below this confidence nothing is returned, whatever the threshold: such segments are as many as there are tokens. */
const floor = 0.01;

export interface TagResult {
  /** Of all labels, in text order, non-overlapping: where two overlap the more probable stays. */
  readonly hits: readonly EntityHit[];
  readonly inputTokens: number;
  /** True when part of the text was beyond what is read. */
  readonly truncated: boolean;
}

/** Something that finds entities. */
export interface EntityHead {
  readonly labels: readonly string[];
  /** Bytes of its tensors. */
  readonly byteSize: number;
  /** @param threshold 0 to 1: a hit's confidence, its exact segment marginal, is at least this */
  tag(text: string, threshold: number): TagResult;
}

export interface Tagger {
  readonly labels: readonly string[];
  /** Fills and sums the lattice for these tokens. */
  readonly run: (tokens: readonly Token[]) => Lattice;
  /** Marginal that counts as a confidence of one half; default .5: the confidence is the marginal itself. */
  readonly decisionPoint?: number;
  /** Turns the lattice's segments into those of the head, where they differ; may add up probabilities. */
  readonly relabel?: (segments: ScoredSpan[]) => ScoredSpan[];
}

/** Tags a text segment by segment. */
export function tagText(
  text: string,
  threshold: number,
  { labels, run, decisionPoint = 0.5, relabel }: Tagger,
): TagResult {
  const hits: EntityHit[] = [];
  const least = Math.max(floor, toMarginal(threshold, decisionPoint));
  let inputTokens = 0;
  for (const tokens of segmentTokens(text)) {
    if (inputTokens + tokens.length > maximumTokens) return { hits, inputTokens, truncated: true };
    inputTokens += tokens.length;
    const lattice = run(tokens);
    const segments = relabel
      ? relabel(likelySegments(lattice, tokens.length, floor))
      : likelySegments(lattice, tokens.length, least);
    for (const { first, end, label, probability } of withoutOverlaps(segments)) {
      const confidence = toConfidence(probability, decisionPoint);
      if (confidence < threshold) continue;
      const start = tokens[first]!.start;
      const stop = tokens[end - 1]!.end;
      hits.push({ start, end: stop, label: labels[label]!, text: text.slice(start, stop), confidence });
    }
  }
  return { hits, inputTokens, truncated: false };
}
