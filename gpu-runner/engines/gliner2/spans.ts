import type { ValueHit } from '../engine.js';
import { requireFew } from '../gliner/scores.js';
import { ArtifactError } from '../engine.js';
import type { Output } from '../packs/session.js';
import type { ReadText } from './text.js';

/** A span of words that may be what is looked for. */
export interface Found {
  /** Index of its first and last word, the last inclusive. */
  readonly first: number;
  readonly last: number;
  /** 0 to 1, a 32-bit float: so the package compares and sorts them. */
  readonly confidence: number;
}

/** Scores of all spans of a text for all that is looked for, which is numbered. */
export class SpanScores {
  /** Words before the text's own, each a span. */
  private readonly prefix: number;
  private readonly places: readonly Omit<Found, 'confidence'>[];
  private readonly queries: number;
  private readonly scores: Float32Array;
  private kept = 0;

  /**
   * @param spans of the prefix, then of the text
   * @throws ArtifactError when the scores are no numbers
   */
  constructor({ data, dims }: Output, spans: Spans) {
    this.prefix = spans.prefix;
    this.places = spans.places;
    this.queries = dims[1]!;
    this.scores = data;
    if (data.some(Number.isNaN)) throw new ArtifactError('the model gives scores that are not numbers');
  }

  /** The spans of the text that reach a threshold, the likeliest first. @throws RefusedSchemaError when there are too many */
  find(query: number, threshold: number): readonly Found[] {
    const found: Found[] = [];
    for (const [at, place] of this.places.entries()) {
      const confidence = this.confidence(this.prefix + at, query);
      if (confidence >= threshold) {
        requireFew(++this.kept);
        found.push({ ...place, confidence });
      }
    }
    return found.sort((a, b) => b.confidence - a.confidence || a.first - b.first || a.last - b.last);
  }

  /** How likely a word of the prefix is what is looked for. */
  ofPrefix(word: number, query: number): number {
    return this.confidence(word, query);
  }

  private confidence(span: number, query: number): number {
    return Math.fround(1 / (1 + Math.exp(-this.scores[span * this.queries + query]!)));
  }
}

export interface Spans {
  readonly prefix: number;
  /** Spans of the text's words. */
  readonly places: readonly Omit<Found, 'confidence'>[];
}

/** Every word of the prefix, and every span of the text of at most so many words. */
export function spansOf(prefix: number, words: number, maxWidth: number): Spans {
  const places = Array.from({ length: words }, (_, first) =>
    Array.from({ length: Math.min(maxWidth, words - first) }, (__, width) => ({ first, last: first + width })),
  );
  return { prefix, places: places.flat() };
}

/** A span as far as it is of the text, which the model sees with a full stop added; null: it is that alone. */
export function hitOf({ first, last, confidence }: Found, { text, words }: ReadText): Required<ValueHit> | null {
  const { start } = words[first]!;
  const end = Math.min(words[last]!.end, text.length);
  return start >= text.length ? null : { text: text.slice(start, end), start, end, confidence };
}
