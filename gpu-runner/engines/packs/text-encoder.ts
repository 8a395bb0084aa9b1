import { MAX_PACK_TOKENS } from '#models/packs/index.js';
import type { Meaning, SentenceEncoder, TextEncoder } from '../builtin/text-encoder.js';
import { INNER_LAYER, type Encoded, type PackEncoder, type ReadText, type Wanted } from './pack-encoder.js';
import { scaled } from './vectors.js';

export interface TextEncoderOptions {
  /** Vectors that callers request. If both, one pass gives the vector of a text and those of its words. */
  readonly wanted: Wanted;
  /** Bound of the vectors that are kept. */
  readonly maxKeptBytes: number;
  /** Vectors that are dropped once that is reached: the kept ones, or the new ones. */
  readonly whenFull: 'forget' | 'keep';
}

/** Tokens whose ids are cached. */
const MAX_TOKENS_KEPT = 50_000;
/** A longer token (an address, a key) is read up to this length: the rest would take the room of others. */
const MAX_TOKEN_CHARACTERS = 64;
/** Ids of one token, likewise: the 300 tokens of a segment are at most five passes. */
const MAX_TOKEN_IDS = 8;

/**
 * A pack as the heads use it. Results are cached by the ids of their tokens, so that a data set is encoded once a job.
 */
export class PackTextEncoder implements TextEncoder {
  readonly sentenceVectors: string;
  readonly wordVectors: string;
  readonly wordDimensions: number;
  readonly sentenceDimensions: number;
  readonly usefulRows = null;
  readonly inner: SentenceEncoder | null;
  private readonly marks: readonly [start: number, end: number];
  private readonly unknown: number;
  /** By the part of the token that is read. */
  private readonly idsOfTokens = new Map<string, readonly number[]>();
  /** Several heads and tasks ask for one text after another. */
  private lastText: { readonly text: string; readonly read: ReadText } | null = null;
  private readonly kept = new Map<string, Vectors>();
  private keptBytes = 0;

  constructor(
    private readonly encoder: PackEncoder,
    private readonly options: TextEncoderOptions,
  ) {
    const { name, wordLayer } = encoder.pack;
    this.sentenceVectors = name;
    this.wordVectors = `${name}, layer ${wordLayer}, mean of the first ${MAX_TOKEN_IDS}`;
    this.wordDimensions = this.sentenceDimensions = encoder.pack.dimensions;
    this.inner = encoder.hasInner
      ? {
          sentenceVectors: `${name}, layer ${INNER_LAYER}, first token`,
          sentenceDimensions: this.sentenceDimensions,
          usefulRows: null,
          inner: null,
          sentence: (text) => this.vectors(this.read(text).ids, 'sentence').inner!,
        }
      : null;
    this.marks = encoder.marks();
    this.unknown = encoder.parts('[UNK]')[0]!;
  }

  sentence(text: string): Float32Array {
    return this.vectors(this.read(text).ids, 'sentence').sentence;
  }

  isTooLong(text: string): boolean {
    return this.read(text).isCut;
  }

  unknownShare(text: string): number {
    const { ids } = this.read(text);
    const own = ids.length - this.marks.length;
    return own === 0 ? 0 : ids.filter((id) => id === this.unknown).length / own;
  }

  words(tokens: readonly string[]): Float32Array {
    return this.meansOfTokens(tokens, (ids) => this.vectors(ids, 'words').words);
  }

  meaning(tokens: readonly string[]): Meaning {
    let text: Float32Array | undefined;
    const means = this.meansOfTokens(tokens, (ids) => {
      const rows = this.encoder.lastLayer(ids);
      text ??= rows.slice(0, this.sentenceDimensions);
      return rows;
    });
    return { text: text ?? new Float32Array(this.sentenceDimensions), tokens: means };
  }

  /**
   * Each token is encoded separately; its vector is the mean of those of its first ids. More than 510 ids are encoded
   * in parts.
   * @param encode a part's ids with the marks, to a vector of each
   */
  private meansOfTokens(tokens: readonly string[], encode: (ids: readonly number[]) => Float32Array): Float32Array {
    const width = this.wordDimensions;
    const rows = new Float32Array(tokens.length * width);
    const [start, end] = this.marks;
    let ids = [start];
    /** The range of each token's ids in `ids`, end exclusive. */
    let places: (readonly [from: number, to: number])[] = [];
    let done = 0;
    const encodePart = () => {
      const vectors = encode([...ids, end]);
      for (const [from, to] of places) {
        const row = done++ * width;
        for (let at = from * width; at < to * width; at++) rows[row + (at % width)]! += vectors[at]! / (to - from);
      }
      ids = [start];
      places = [];
    };
    for (const token of tokens) {
      const own = this.idsOfToken(token);
      if (ids.length + own.length >= MAX_PACK_TOKENS) encodePart();
      places.push([ids.length, ids.length + own.length]);
      ids.push(...own);
    }
    if (places.length > 0) encodePart();
    return rows;
  }

  private read(text: string): ReadText {
    if (this.lastText?.text !== text) this.lastText = { text, read: this.encoder.read(text) };
    return this.lastText.read;
  }

  private idsOfToken(token: string): readonly number[] {
    const read = token.slice(0, MAX_TOKEN_CHARACTERS);
    let ids = this.idsOfTokens.get(read);
    if (ids) return ids;
    ids = this.encoder.parts(read).slice(0, MAX_TOKEN_IDS);
    // A token of marks and spaces only has no ids.
    if (ids.length === 0) ids = [this.unknown];
    if (this.idsOfTokens.size >= MAX_TOKENS_KEPT) this.idsOfTokens.clear();
    this.idsOfTokens.set(copied(read), ids);
    return ids;
  }

  private vectors<W extends 'sentence' | 'words'>(ids: readonly number[], wanted: W): Encoded<W> {
    // Ids are below 65,536, so that one UTF-16 unit holds each.
    const key = String.fromCharCode(...ids);
    const known = this.kept.get(key);
    if (known?.[wanted]) return known as Encoded<W>;
    const { sentence, inner, words } = this.encoder.encode(
      ids,
      this.options.wanted === 'both' ? 'both' : (wanted as Wanted),
    );
    const vectors: Vectors = {
      sentence: known?.sentence ?? (sentence && scaled(sentence)),
      inner: known?.inner ?? (inner && scaled(inner)),
      words: known?.words ?? words,
    };
    this.keep(key, vectors);
    return vectors as Encoded<W>;
  }

  private keep(key: string, vectors: Vectors): void {
    const { maxKeptBytes, whenFull } = this.options;
    const bytes = bytesOf(key, vectors);
    const before = bytesOf(key, this.kept.get(key));
    if (this.keptBytes - before + bytes > maxKeptBytes) {
      if (whenFull === 'keep') return;
      this.kept.clear();
      this.keptBytes = 0;
    } else this.keptBytes -= before;
    this.keptBytes += bytes;
    this.kept.set(key, vectors);
  }
}

interface Vectors {
  readonly sentence: Float32Array | null;
  readonly inner: Float32Array | null;
  readonly words: Float32Array | null;
}

/** The same text in separate memory: a slice keeps the whole request alive that it was cut from. */
const copied = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

const bytesOf = (key: string, vectors: Vectors | undefined): number =>
  vectors
    ? 2 * key.length +
      (vectors.sentence?.byteLength ?? 0) +
      (vectors.inner?.byteLength ?? 0) +
      (vectors.words?.byteLength ?? 0)
    : 0;
