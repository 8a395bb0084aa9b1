import { composed } from '#primitives/text/composed.js';
import { hashHigh, hashLow } from './hash.js';

/** Hashed aspects of one word, as indices into `WordAspects.high` and `.low`. */
export const Aspect = { word: 0, lower: 1, digits: 2, shape: 3, prefix: 4, suffix: 8, longShape: 12 } as const;
const ASPECT_COUNT = 13;

/** Facts of a word for the extractor, computed once for each distinct word. */
export interface WordAspects {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  /** Bit set of `Flag`. */
  readonly flags: number;
  /** No word to its neighbours: they see what is beyond it. */
  readonly isEmoji: boolean;
  /** Number of digits when the word is nothing else, at most 12; 0 otherwise. */
  readonly digitLength: number;
}

export const Flag = {
  hasDigit: 1,
  allDigits: 2,
  hyphen: 4,
  capital: 8,
  upper: 16,
  at: 32,
  hash: 64,
  url: 128,
  punctuation: 256,
  innerCapital: 512,
  initials: 1024,
} as const;
export const FLAG_COUNT = 11;

const CACHE_LIMIT = 50_000;
/** Longer words, in UTF-16 units, are hardly met again but by the neighbours that look at them: few are kept. */
const MAX_CACHED_LENGTH = 64;
const LONG_CACHE_LIMIT = 64;
const cache = new Map<string, WordAspects>();
const longCache = new Map<string, WordAspects>();

/** Aspects of a word. Matching is by NFC, so that composed and decomposed spellings are the same word. */
export function aspectsOf(word: string): WordAspects {
  const isLong = word.length > MAX_CACHED_LENGTH;
  const known = isLong ? longCache : cache;
  let aspects = known.get(word);
  if (aspects === undefined) {
    aspects = compute(word);
    if (known.size >= (isLong ? LONG_CACHE_LIMIT : CACHE_LIMIT)) known.clear();
    known.set(detached(word), aspects);
  }
  return aspects;
}

/** A copy: a slice of a text keeps the whole text in memory. */
export const detached = (word: string): string => Buffer.from(word, 'utf16le').toString('utf16le');

function compute(raw: string): WordAspects {
  const word = isAscii(raw) ? raw : composed(raw);
  const lower = word.toLowerCase();
  const high = new Uint32Array(ASPECT_COUNT);
  const low = new Uint32Array(ASPECT_COUNT);
  const put = (aspect: number, text: string) => {
    high[aspect] = hashHigh(text);
    low[aspect] = hashLow(text);
  };
  const long = shapeOf(word);
  put(Aspect.word, word);
  put(Aspect.lower, lower);
  put(Aspect.digits, lower.replace(/\p{Nd}/gu, '0'));
  put(Aspect.shape, long.replace(/(.)\1+/g, '$1'));
  put(Aspect.longShape, long.slice(0, 8));
  for (let n = 1; n <= 4; n++) {
    put(Aspect.prefix + n - 1, lower.slice(0, n));
    put(Aspect.suffix + n - 1, lower.slice(-n));
  }
  const isEmoji = EMOJI.test(word);
  return {
    high,
    low,
    isEmoji,
    flags: flagsOf(word, lower),
    digitLength: /^\d+$/.test(word) ? Math.min(word.length, 12) : 0,
  };
}

/** Emoji, and the marks of variation, skin and joining that tokens of them are cut into. */
const EMOJI = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d\ufe0f]+$/u;

/** The word with each character replaced by its class: X capital, x small, 0 digit, other characters unchanged. */
function shapeOf(word: string): string {
  return word
    .slice(0, 24)
    .replace(/\p{Lu}/gu, 'X')
    .replace(/[\p{Ll}\p{Lm}\p{Lo}\p{M}]/gu, 'x')
    .replace(/\p{Nd}/gu, '0');
}

function flagsOf(word: string, lower: string): number {
  const capital = /^\p{Lu}/u.test(word);
  const hasLetter = /\p{L}/u.test(word);
  let flags = 0;
  if (/\p{Nd}/u.test(word)) flags |= Flag.hasDigit;
  if (/^\p{Nd}+$/u.test(word)) flags |= Flag.allDigits;
  if (word.length > 1 && word.includes('-')) flags |= Flag.hyphen;
  if (capital) flags |= Flag.capital;
  if (hasLetter && word.length > 1 && word === word.toUpperCase() && word !== lower) flags |= Flag.upper;
  if (word.length > 1 && word.startsWith('@')) flags |= Flag.at;
  if (word.length > 1 && word.startsWith('#')) flags |= Flag.hash;
  if (/^(?:https?:\/\/|www\.)/i.test(word)) flags |= Flag.url;
  if (/^[^\p{L}\p{N}]+$/u.test(word)) flags |= Flag.punctuation;
  if (/\p{Ll}\p{Lu}/u.test(word)) flags |= Flag.innerCapital;
  if (/^(?:\p{L}\.)+$/u.test(word)) flags |= Flag.initials;
  return flags;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
