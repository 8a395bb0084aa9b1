import type { Token } from '#primitives/text/tokens.js';
import type { Gazetteer } from './gazetteer.js';
import { joinHigh, joinLow, mixHigh, mixLow } from './hash.js';
import { matchPatterns } from './patterns.js';
import { Aspect, aspectsOf, Flag, FLAG_COUNT, type WordAspects } from './word.js';

/** Changes whenever a feature's key or meaning does. Artifacts of another version are refused. */
export const FEATURE_VERSION = 1;

/** Marginals of the base model as features of a model on top of it. */
interface StackedTags {
  /** Row-major [tokens, tags]. */
  readonly marginals: Float64Array;
  readonly tags: number;
}

/** Families of features. The number is part of each key, so none may change; new ones get new numbers. */
const enum Family {
  Bias = 1,
  Own = 2,
  Flag = 3,
  DigitLength = 4,
  Neighbour = 5,
  ShapeAt = 6,
  Bigram = 7,
  SkipBigram = 8,
  ShapeBigram = 9,
  AffixAt = 11,
  First = 12,
  Pattern = 13,
  Gazetteer = 14,
  Base = 16,
  FirstWord = 17,
}

/** Aspects of the place before the first and after the last token. */
const OUTSIDE: readonly WordAspects[] = ['\u0002', '\u0002\u0002', '\u0003', '\u0003\u0003'].map(aspectsOf);
const BIN_EDGES = [0.05, 0.2, 0.5, 0.8, 0.95];
const PLACE = { single: 0, begin: 1, inside: 2, end: 3 } as const;

/**
 * Sparse binary features of tokens, as 64-bit keys. Keys depend on the text (and the base's marginals) alone, so that they
 * can be computed before any dictionary exists. After `extract`, the features of token i are at `high[k]`, `low[k]` for k
 * from `offsets[i]` to `offsets[i + 1]`; these arrays are reused by the next call.
 */
export class FeatureExtractor {
  offsets = new Uint32Array(64);
  high = new Uint32Array(1 << 12);
  low = new Uint32Array(1 << 12);
  private count = 0;
  /** Marks at tokens (pattern and gazetteer classes): linked lists, newest first. */
  private heads = new Int32Array(64);
  private next = new Int32Array(256);
  private marks = new Int32Array(256);
  private markCount = 0;

  constructor(private readonly gazetteer: Gazetteer | null) {}

  /** @param stacked the base's marginals for these tokens, or null for none */
  extract(tokens: readonly Token[], stacked: StackedTags | null): void {
    const n = tokens.length;
    if (this.offsets.length < n + 1) {
      this.offsets = new Uint32Array(n * 2);
      this.heads = new Int32Array(n * 2);
    }
    this.markClasses(tokens);
    const words = tokens.map((token) => aspectsOf(token.text));
    const read = words.some(({ isEmoji }) => isEmoji) ? words.filter(({ isEmoji }) => !isEmoji) : words;
    let before = 0;
    this.count = 0;
    for (let i = 0; i < n; i++) {
      this.offsets[i] = this.count;
      const word = words[i]!;
      this.words(word, read, before - 1, word.isEmoji ? before : before + 1);
      if (!word.isEmoji) before += 1;
      this.classes(words, i, n);
      if (stacked !== null) {
        this.stacked(stacked, i, n);
        // Distinguishes commands ("play", "book"). Not for the base, since it would reveal its templates.
        this.aspect(Family.FirstWord, 0, words[0]!, Aspect.lower);
      }
    }
    this.offsets[n] = this.count;
  }

  /**
   * Features of a word, and of those around it.
   * @param read the words of the text, without emoji
   * @param left index in `read` of the word before it
   * @param right index in `read` of the word after it
   */
  private words(w: WordAspects, read: readonly WordAspects[], left: number, right: number): void {
    const at = (j: number): WordAspects =>
      j < 0 ? OUTSIDE[j < -1 ? 1 : 0]! : j < read.length ? read[j]! : OUTSIDE[j > read.length ? 3 : 2]!;
    const [l2, l1, r1, r2] = [at(left - 1), at(left), at(right), at(right + 1)];
    this.plain(Family.Bias, 0);
    for (let aspect = 0; aspect < Aspect.longShape + 1; aspect++) this.aspect(Family.Own, 0, w, aspect);
    for (let bit = 0; bit < FLAG_COUNT; bit++) if (w.flags & (1 << bit)) this.plain(Family.Flag, bit);
    if (w.digitLength > 0) this.plain(Family.DigitLength, w.digitLength);
    this.aspect(Family.Neighbour, 0, l2, Aspect.lower);
    this.aspect(Family.Neighbour, 1, l1, Aspect.lower);
    this.aspect(Family.Neighbour, 2, r1, Aspect.lower);
    this.aspect(Family.Neighbour, 3, r2, Aspect.lower);
    this.aspect(Family.ShapeAt, 0, l1, Aspect.shape);
    this.aspect(Family.ShapeAt, 1, r1, Aspect.shape);
    this.aspect(Family.ShapeAt, 2, r2, Aspect.shape);
    this.pair(Family.Bigram, 0, l1, w, Aspect.lower);
    this.pair(Family.Bigram, 1, w, r1, Aspect.lower);
    this.pair(Family.Bigram, 2, l2, l1, Aspect.lower);
    this.pair(Family.Bigram, 3, r1, r2, Aspect.lower);
    this.pair(Family.SkipBigram, 0, l1, r1, Aspect.lower);
    this.pair(Family.ShapeBigram, 0, l1, w, Aspect.shape);
    this.pair(Family.ShapeBigram, 1, w, r1, Aspect.shape);
    this.aspect(Family.AffixAt, 0, l1, Aspect.prefix + 2);
    this.aspect(Family.AffixAt, 1, l1, Aspect.suffix + 2);
    this.aspect(Family.AffixAt, 2, r1, Aspect.prefix + 2);
    this.aspect(Family.AffixAt, 3, r1, Aspect.suffix + 2);
    if (left < 0) this.plain(Family.First, w.flags & Flag.capital ? 1 : 0);
  }

  private classes(words: readonly WordAspects[], i: number, n: number): void {
    for (let offset = -1; offset <= 1; offset++) {
      const j = i + offset;
      if (j < 0 || j >= n) continue;
      const capital = words[j]!.flags & Flag.capital ? 1 : 0;
      for (let k = this.heads[j]!; k >= 0; k = this.next[k]!) {
        const mark = this.marks[k]!;
        const isGazetteer = mark & 1;
        this.plain(
          isGazetteer ? Family.Gazetteer : Family.Pattern,
          (mark << 4) | ((offset + 1) << 1) | (isGazetteer & capital),
        );
      }
    }
  }

  private stacked({ marginals, tags }: StackedTags, i: number, n: number): void {
    for (let offset = -1; offset <= 1; offset++) {
      const j = i + offset;
      if (j < 0 || j >= n) continue;
      for (let tag = 0; tag < tags; tag++) {
        const probability = marginals[j * tags + tag]!;
        if (probability <= BIN_EDGES[0]!) continue;
        let bin = 0;
        while (bin + 1 < BIN_EDGES.length && probability > BIN_EDGES[bin + 1]!) bin++;
        this.plain(Family.Base, (tag << 6) | (bin << 2) | (offset + 1));
      }
    }
  }

  private markClasses(tokens: readonly Token[]): void {
    this.heads.fill(-1, 0, tokens.length);
    this.markCount = 0;
    matchPatterns(tokens, (k, first, length) => this.mark(k << 1, first, length));
    this.gazetteer?.match(tokens, (k, first, length) => this.mark((k << 1) | 1, first, length));
  }

  /** @param kind class index shifted left by one, lowest bit set for a gazetteer's */
  private mark(kind: number, first: number, length: number): void {
    for (let i = 0; i < length; i++) {
      const position =
        length === 1 ? PLACE.single : i === 0 ? PLACE.begin : i === length - 1 ? PLACE.end : PLACE.inside;
      if (this.markCount === this.marks.length) {
        this.marks = grown(this.marks);
        this.next = grown(this.next);
      }
      const k = this.markCount++;
      this.marks[k] = ((kind >> 1) << 3) | (position << 1) | (kind & 1);
      this.next[k] = this.heads[first + i]!;
      this.heads[first + i] = k;
    }
  }

  private plain(family: Family, value: number): void {
    this.emit(mixHigh(value + Math.imul(family, 0x9e3779b1)), mixLow(value ^ Math.imul(family, 0x85ebca77)));
  }

  private aspect(family: Family, variant: number, word: WordAspects, aspect: number): void {
    const tag = (family << 8) | (variant << 5) | aspect;
    this.emit(joinHigh(word.high[aspect]!, tag), joinLow(word.low[aspect]!, tag));
  }

  private pair(family: Family, variant: number, left: WordAspects, right: WordAspects, aspect: number): void {
    const tag = (family << 8) | (variant << 5) | aspect;
    this.emit(
      joinHigh(joinHigh(left.high[aspect]!, tag), right.high[aspect]!),
      joinLow(joinLow(left.low[aspect]!, tag), right.low[aspect]!),
    );
  }

  private emit(high: number, low: number): void {
    if (this.count === this.high.length) {
      this.high = grown(this.high);
      this.low = grown(this.low);
    }
    this.high[this.count] = high;
    this.low[this.count++] = low;
  }
}

function grown<A extends Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(array: A): A {
  const next = new (array.constructor as new (length: number) => A)(array.length * 2);
  next.set(array);
  return next;
}
