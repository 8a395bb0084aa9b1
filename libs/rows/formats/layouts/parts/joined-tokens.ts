import type { GivenSpan } from '../layout.js';

/** A text made of tokens, in UTF-16 code units. */
export interface JoinedTokens {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** The mark of SentencePiece in front of a piece that begins a word. */
const WORD_MARK = '\u2581';

/**
 * Joins tokens by blanks, as people would write them: none before a closing mark or a clitic (`n't`, `'s`), behind an opening
 * one, around Chinese and Japanese characters, and between Thai ones. Pieces of SentencePiece say themselves where blanks are.
 */
export function joinTokens(tokens: readonly string[]): JoinedTokens {
  const starts: number[] = [];
  const ends: number[] = [];
  const arePieces = tokens.some((token) => token.startsWith(WORD_MARK));
  let text = '';
  for (const [index, piece] of tokens.entries()) {
    const token = arePieces && piece.startsWith(WORD_MARK) ? piece.slice(1) : piece;
    const before = tokens[index - 1];
    if (before !== undefined && !(arePieces ? token === piece : isAttached(before, token))) text += ' ';
    starts.push(text.length);
    text += token;
    ends.push(text.length);
  }
  return { text, starts, ends };
}

const isAttached = (before: string, token: string): boolean =>
  CLOSING.test(token) ||
  OPENING.test(before) ||
  ENDS_CJK.test(before) ||
  BEGINS_CJK.test(token) ||
  (/\p{Script=Thai}$/u.test(before) && /^\p{Script=Thai}/u.test(token));

const CLOSING = /^(?:[.,;:!?%)\]}»”、。，！？：；）」』]+|n['’]t|['’](?:s|re|ve|ll|d|m))$/iu;
const OPENING = /^[([{«“（「『]$/u;
/** The scripts, their marks, and full-width forms. */
const CJK = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\u30fb\u30fc\uff01-\uffee]`;
const BEGINS_CJK = new RegExp(`^${CJK}`, 'u');
const ENDS_CJK = new RegExp(`${CJK}$`, 'u');

/** The places of tokens in the text that they were cut from; null if they do not match it. */
export function tokensIn(text: string, tokens: readonly string[]): JoinedTokens | null {
  const [starts, ends]: [number[], number[]] = [[], []];
  let at = 0;
  for (const token of tokens) {
    const start = text.indexOf(token, at);
    if (start < 0 || text.slice(at, start).trim() !== '') return null;
    at = start + token.length;
    starts.push(start);
    ends.push(at);
  }
  return text.slice(at).trim() === '' ? { text, starts, ends } : null;
}

/**
 * Native entities of a text made of tokens.
 * @param last inclusive
 */
export const tokenSpan = (
  { text, starts, ends }: JoinedTokens,
  first: number,
  last: number,
  label: string,
  at: string,
): GivenSpan => ({ start: starts[first]!, end: ends[last]!, label, at, text: text.slice(starts[first], ends[last]) });
