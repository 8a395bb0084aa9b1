import type { HeadState } from '../head.js';
import type { Token } from '../text/tokens.js';

/** One lexicon: phrases of a class, of 1 to 5 tokens. */
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
  /** Calls `found` for each phrase of the lexicons in the tokens: class, first token, number of tokens (1 to 5). */
  match(tokens: readonly Token[], found: (classIndex: number, first: number, length: number) => void): void;
  /** The hashed phrases: about 9 bytes each. */
  toState(): HeadState;
}

/** Builds a gazetteer. Phrases of more than five tokens are left out. The order of the lexicons is the order of the classes. */
export function buildGazetteer(_lexicons: readonly Lexicon[]): Gazetteer {
  throw new Error('not yet');
}

/** Takes back what `toState` gave, without copying its tensors. */
export function loadGazetteer(_state: HeadState): Gazetteer {
  throw new Error('not yet');
}
