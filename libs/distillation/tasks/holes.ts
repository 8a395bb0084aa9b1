import type { Part } from '../calls/canonical.js';
import { unescaped } from './matcher.js';
import type { Hole } from './template.js';

/** A hole of a prompt and what the calls had in it. */
export interface FilledHole {
  readonly role: Part['role'];
  /** The chunks beside it. */
  readonly before: string;
  readonly after: string;
  /** One for each call. */
  readonly values: readonly string[];
}

/** What the holes of a prompt are, in their order, or why that is not certain. */
export type Judged =
  | {
      readonly kind: 'certain' | 'ask';
      readonly holes: readonly Hole[];
      readonly text: number;
      /** Other holes that differ from call to call as the text does. */
      readonly others: readonly number[];
      readonly reason: string;
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** A hole of so many values or fewer is a parameter. */
export const MAX_PARAMETER_VALUES = 12;
/** Each value of a parameter must occur so often, on average. */
const REPEATED = 3;
const MOST = 0.95;
const MONTH = String.raw`(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*`;
const WEEKDAY = String.raw`(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?`;
const DATE = new RegExp(String.raw`^(?:${MONTH}|${WEEKDAY}|utc|gmt|am|pm|th|st|nd|rd|[\d\s:.,/+\-TZ()])+$`, 'i');
const ID = /^(?=\S*\d)[\w.:@/#+-]+$/;
const MAX_NAME_WORDS = 4;
/** A name is at most so long as a part of the text's mean length. */
const NAME_LENGTH = 0.6;
const NAMES = 0.8;

/**
 * Tells which hole is the text. Holes of few values are parameters, dates, numbers, ids and names are left out; if several are left, the
 * longest counts, and it is to be asked.
 */
export function judgeHoles(filled: readonly FilledHole[]): Judged {
  const holes: (Hole | null)[] = filled.map(
    ({ values }) => parameter(values) ?? leftOut(values, isTokenBesides(commonWords(values))),
  );
  const free = holes.flatMap((hole, at) => (hole === null ? [at] : []));
  const varying = free.find((at) => filled[at]!.role === 'assistant' || filled[at]!.role === 'tool');
  if (varying !== undefined)
    return { kind: 'refused', reason: 'earlier turns of the conversation differ from call to call' };
  if (free.length === 0) return { kind: 'refused', reason: 'no text differs from call to call' };
  const text = free.reduce((best, at) => (meanLength(filled[at]!) > meanLength(filled[best]!) ? at : best));
  const others = free.filter((at) => at !== text && !isNameBeside(filled[at]!, filled[text]!));
  const judged = holes.map((hole, at) => {
    if (at === text) return { kind: 'text', json: isInJson(filled[at]!) } as const;
    return hole ?? leftOut(filled[at]!.values, () => true)!;
  });
  const reason = `${others.length + 1} stretches differ from call to call: which of them the answer is about is not certain`;
  return others.length > 0
    ? { kind: 'ask', holes: judged, text, others, reason }
    : { kind: 'certain', holes: judged, text, others, reason: '' };
}

function parameter(values: readonly string[]): Hole | null {
  const distinct = new Set<string>();
  for (const value of values) if (distinct.add(value).size > MAX_PARAMETER_VALUES) return null;
  return distinct.size * REPEATED <= values.length ? { kind: 'parameter', values: [...distinct].sort() } : null;
}

function leftOut(values: readonly string[], isLeftOut: (value: string) => boolean): Hole | null {
  if (values.filter(isLeftOut).length < MOST * values.length) return null;
  return { kind: 'left-out', maxLength: values.reduce((most, { length }) => Math.max(most, length), 0) };
}

/** Whether a value is a date, a number or an id, but for the words that all values have: `Order 17 of 3 May`. */
const isTokenBesides =
  (common: ReadonlySet<string>) =>
  (value: string): boolean => {
    const own = wordsOf(value).filter((word) => !common.has(word));
    return DATE.test(own.join(' ')) || own.every((word) => ID.test(word));
  };

/** Whether a text is a date, a number or an id. */
export const isToken = isTokenBesides(new Set());

/** The words, not numbers, that stand in nearly all values. */
function commonWords(values: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const value of values) for (const word of new Set(wordsOf(value))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count >= MOST * values.length).map(([word]) => word));
}

/** Short values in capitals, or repeated ones, beside a longer text. */
function isNameBeside(hole: FilledHole, text: FilledHole): boolean {
  const { values } = hole;
  if (meanLength(hole) > NAME_LENGTH * meanLength(text)) return false;
  const short = values.filter((value) => wordsOf(value).length <= MAX_NAME_WORDS && !/[?!\n]/.test(value));
  if (short.length < MOST * values.length) return false;
  const named = values.filter((value) => wordsOf(value).every((word) => /^[\p{Lu}\p{N}]/u.test(word))).length;
  return named >= NAMES * values.length || new Set(values).size * 2 <= values.length;
}

/** Whether the values are strings within JSON, whose escapes are none of the text's. */
const isInJson = ({ before, after, values }: FilledHole): boolean =>
  /[:,[]\s*"$/.test(before) && /^"\s*[,}\]]/.test(after) && values.every((value) => unescaped(value) !== null);

const wordsOf = (value: string): readonly string[] => value.split(/\s+/).filter((word) => word !== '');
const meanLength = ({ values }: FilledHole): number =>
  values.reduce((sum, { length }) => sum + length, 0) / values.length;
