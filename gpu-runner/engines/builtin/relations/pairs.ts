import { hashHigh, hashLow } from '../features/hash.js';
import { composed } from '#primitives/text/composed.js';
import { segmentTokens } from '../text/segments.js';
import type { Token } from '#primitives/text/tokens.js';
import type { Mention } from './mention-types.js';

/** Raised with any change to the features of a pair or to which pairs are considered. */
export const PAIRS_VERSION = 1;

/** A mention by the tokens that it covers. */
export interface PlacedMention<M extends Mention = Mention> {
  readonly mention: M;
  /** Place among all mentions, in text order. */
  readonly index: number;
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** A text as pairs are read in it. */
export interface ReadText<M extends Mention = Mention> {
  /** Each token without case, its digits as 0. */
  readonly words: readonly string[];
  readonly mentions: readonly PlacedMention<M>[];
}

/**
 * Pairs further apart, in tokens or in mentions between, are not considered: their number would grow with the text's
 * length squared.
 */
export const MAX_TOKENS_APART = 200;
const MAX_MENTIONS_APART = 16;

/** @param mentions in text order */
export function readText<M extends Mention>(text: string, mentions: readonly M[]): ReadText<M> {
  const last = mentions.at(-1)?.end ?? 0;
  const tokens: Token[] = [];
  for (const segment of mentions.length < 2 ? [] : segmentTokens(text)) {
    tokens.push(...segment);
    // Two words after the last mention are read.
    if (segment.at(-1)!.start > last) break;
  }
  let at = 0;
  const placed = mentions.flatMap((mention, index): PlacedMention<M>[] => {
    while (at < tokens.length && tokens[at]!.end <= mention.start) at += 1;
    let end = at;
    while (end < tokens.length && tokens[end]!.start < mention.end) end += 1;
    return end > at ? [{ mention, index, first: at, end }] : [];
  });
  return {
    words: tokens.map(({ text: word }) =>
      composed(word)
        .toLowerCase()
        .replace(/\p{Nd}/gu, '0'),
    ),
    mentions: placed,
  };
}

/** The ordered pairs that are near enough to be looked at; both orders of two mentions. */
export function* pairsOf<M extends Mention>({
  mentions,
}: ReadText<M>): Generator<readonly [head: PlacedMention<M>, tail: PlacedMention<M>]> {
  for (const [index, left] of mentions.entries())
    for (const right of mentions.slice(index + 1, index + 2 + MAX_MENTIONS_APART)) {
      if (right.first - left.end > MAX_TOKENS_APART) break;
      yield [left, right];
      yield [right, left];
    }
}

/** Words between two mentions that count individually; of more, the first and the last ones. */
const MAX_WORDS_BETWEEN = 12;
const EDGE_WORDS = 4;

/** Ranges of the tokens between two mentions that count individually. */
export function readBetween(
  { end }: PlacedMention,
  { first }: PlacedMention,
): readonly (readonly [from: number, to: number])[] {
  const from = end;
  if (first <= from) return [];
  if (first - from <= MAX_WORDS_BETWEEN) return [[from, first]];
  return [
    [from, from + EDGE_WORDS],
    [first - EDGE_WORDS, first],
  ];
}

/**
 * The features of an ordered pair, as strings: types, direction, distance, words and word pairs between, two words outside, types
 * between, and the last words of both (the "head words" of Zhou et al. 2005, "Exploring various knowledge in relation extraction").
 */
export function featuresOf({ words, mentions }: ReadText, head: PlacedMention, tail: PlacedMention): readonly string[] {
  const isForward = head.index < tail.index;
  const [left, right] = isForward ? [head, tail] : [tail, head];
  const direction = isForward ? '>' : '<';
  const types = `${head.mention.type} ${tail.mention.type} ${direction}`;
  const between = words.slice(left.end, Math.max(left.end, right.first));
  const features = ['bias', direction, `types ${types}`, `apart ${direction} ${bucket(between.length)}`];

  const lexical = (name: string, value: string) => features.push(`${name} ${direction} ${value}`);
  const isLong = between.length > MAX_WORDS_BETWEEN;
  const read = isLong ? [...between.slice(0, EDGE_WORDS), '...', ...between.slice(-EDGE_WORDS)] : between;
  for (const word of read) {
    lexical('word', word);
    features.push(`typed word ${types} ${word}`);
  }
  const bounded = ['<', ...read, '>'];
  for (let at = 0; at + 1 < bounded.length; at += 1) lexical('words', `${bounded[at]} ${bounded[at + 1]}`);
  if (!isLong) lexical('all', read.join(' '));
  if (between.some((word) => /^[.!?;。！？；]+$/u.test(word))) lexical('divided', '');

  for (const distance of [1, 2]) {
    lexical(`before ${distance}`, words[left.first - distance] ?? '<');
    lexical(`after ${distance}`, words[right.end + distance - 1] ?? '>');
  }
  lexical('outside', `${words[left.first - 1] ?? '<'} ${between[0] ?? ''} ${words[right.end] ?? '>'}`);
  features.push(`head ${words[head.end - 1]}`, `tail ${words[tail.end - 1]}`);

  const inner = mentions.slice(left.index + 1, right.index).map(({ mention }) => mention.type);
  for (const type of new Set(inner)) features.push(`type between ${types} ${type}`);
  features.push(`mentions between ${direction} ${bucket(inner.length)}`);
  if (!inner.includes(tail.mention.type)) features.push(`nearest tail ${types}`);
  if (!inner.includes(head.mention.type)) features.push(`nearest head ${types}`);
  return features;
}

/** Calls `visit` with the two halves of each feature's hash; a feature may come twice. */
export function visitPair(
  text: ReadText,
  head: PlacedMention,
  tail: PlacedMention,
  visit: (high: number, low: number) => void,
): void {
  for (const feature of featuresOf(text, head, tail)) visit(hashHigh(feature), hashLow(feature));
}

const bucket = (count: number): string =>
  count < 5 ? `${count}` : count < 8 ? '5+' : count < 15 ? '8+' : count < 30 ? '15+' : '30+';
