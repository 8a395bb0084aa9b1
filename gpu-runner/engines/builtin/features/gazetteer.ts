import { ArtifactError } from '../../engine.js';
import type { HeadState } from '../head.js';
import { tokenize, type Token } from '#primitives/text/tokens.js';
import { FeatureCounter, FeatureDictionary } from './dictionary.js';
import { joinHigh, joinLow } from './hash.js';
import { Aspect, aspectsOf, Flag } from './word.js';

/** Longest phrase that is matched, in tokens. */
const MAX_PHRASE_LENGTH = 5;
/** Marks a class entry that counts only if the text has a capital; the other seven bits are the class. */
const NEEDS_CAPITAL = 0x80;

/** A lexicon: phrases of a class, of 1 to 5 tokens. */
export interface Lexicon {
  readonly name: string;
  readonly phrases: Iterable<string>;
  /** True when a phrase only counts if the text writes it with a capital ("May", "Will"). Default false. */
  readonly capitalised?: boolean;
}

/** Phrase lists by class, matched against tokens regardless of case. Immutable. */
export interface Gazetteer {
  /** Class names; a match gives an index into them. */
  readonly classes: readonly string[];
  /**
   * Calls `found` for each phrase of the lexicons in the tokens: class, first token, number of tokens (1 to 5). Matches of
   * one class do not overlap: from left to right the longest is taken.
   */
  match(tokens: readonly Token[], found: (classIndex: number, first: number, length: number) => void): void;
  /** The hashed phrases: about 13 bytes each. */
  toState(): HeadState;
}

/**
 * Builds a gazetteer. Phrases of more than five tokens are left out. The order of the lexicons is the order of the classes;
 * several lexicons of one name share a class.
 * @throws RangeError above 128 classes
 */
export function buildGazetteer(lexicons: readonly Lexicon[]): Gazetteer {
  const classes = [...new Set(lexicons.map(({ name }) => name))];
  if (classes.length > NEEDS_CAPITAL) throw new RangeError(`A gazetteer holds at most ${NEEDS_CAPITAL} classes.`);
  const counter = new FeatureCounter();
  const entries: Set<number>[] = [];
  for (const { name, phrases, capitalised = false } of lexicons) {
    const entry = classes.indexOf(name) | (capitalised ? NEEDS_CAPITAL : 0);
    for (const phrase of phrases) {
      const tokens = tokenize(phrase);
      if (tokens.length === 0 || tokens.length > MAX_PHRASE_LENGTH) continue;
      let high = 0;
      let low = 0;
      for (const { text } of tokens) {
        const aspects = aspectsOf(text);
        high = joinHigh(high, aspects.high[Aspect.lower]!);
        low = joinLow(low, aspects.low[Aspect.lower]!);
      }
      const row = counter.add(high, low);
      (entries[row] ??= new Set()).add(entry);
    }
  }
  const { dictionary } = counter.freeze(1);
  const offsets = new Uint32Array(entries.length + 1);
  entries.forEach((set, row) => (offsets[row + 1] = offsets[row]! + set.size));
  const values = Uint8Array.from(entries.flatMap((set) => [...set].sort((a, b) => a - b)));
  return new HashedGazetteer(classes, dictionary, offsets, values);
}

/**
 * Takes back what `toState` gave, without copying its tensors.
 * @throws ArtifactError when tensors are missing
 */
export function loadGazetteer(state: HeadState): Gazetteer {
  const { high, low, offsets, values } = state.tensors;
  if (!high || !low || !offsets || !values) throw new ArtifactError('The gazetteer lacks a tensor.');
  return new HashedGazetteer(
    state.config['classes'] as readonly string[],
    new FeatureDictionary(high.data as Uint32Array, low.data as Uint32Array),
    offsets.data as Uint32Array,
    values.data as Uint8Array,
  );
}

class HashedGazetteer implements Gazetteer {
  /** First token after the last match of each class. */
  private readonly covered: Int32Array;
  private readonly rows = new Int32Array(MAX_PHRASE_LENGTH);

  /**
   * @param offsets @param values the entries of phrase row r are `values[offsets[r]]` up to `values[offsets[r + 1]]`: a class
   *   in the low seven bits, `NEEDS_CAPITAL` above them
   */
  constructor(
    readonly classes: readonly string[],
    private readonly dictionary: FeatureDictionary,
    private readonly offsets: Uint32Array,
    private readonly values: Uint8Array,
  ) {
    this.covered = new Int32Array(classes.length);
  }

  match(tokens: readonly Token[], found: (classIndex: number, first: number, length: number) => void): void {
    const covered = this.covered.fill(0);
    for (let first = 0; first < tokens.length; first++) {
      const longest = this.lookUp(tokens, first);
      const capital = (aspectsOf(tokens[first]!.text).flags & Flag.capital) !== 0;
      for (let length = longest; length > 0; length--) {
        const row = this.rows[length - 1]!;
        if (row < 0) continue;
        for (let k = this.offsets[row]!; k < this.offsets[row + 1]!; k++) {
          const value = this.values[k]!;
          const classIndex = value & (NEEDS_CAPITAL - 1);
          if (covered[classIndex]! > first || ((value & NEEDS_CAPITAL) !== 0 && !capital)) continue;
          covered[classIndex] = first + length;
          found(classIndex, first, length);
        }
      }
    }
  }

  /**
   * Fills `#rows` with the phrases that start at a token.
   * @returns the number of filled rows
   */
  private lookUp(tokens: readonly Token[], first: number): number {
    const longest = Math.min(MAX_PHRASE_LENGTH, tokens.length - first);
    let high = 0;
    let low = 0;
    for (let length = 1; length <= longest; length++) {
      const aspects = aspectsOf(tokens[first + length - 1]!.text);
      high = joinHigh(high, aspects.high[Aspect.lower]!);
      low = joinLow(low, aspects.low[Aspect.lower]!);
      this.rows[length - 1] = this.dictionary.find(high, low);
    }
    return longest;
  }

  toState(): HeadState {
    const { high, low } = this.dictionary;
    return {
      config: { classes: this.classes },
      tensors: {
        high: { shape: [high.length], data: high },
        low: { shape: [low.length], data: low },
        offsets: { shape: [this.offsets.length], data: this.offsets },
        values: { shape: [this.values.length], data: this.values },
      },
    };
  }
}
