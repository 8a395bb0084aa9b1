import type { Json } from '#domain/json.js';
import { CodePoints } from '#domain/code-points.js';
import { areAlike } from '../rows/alike.js';
import { quote } from '../rows/spans.js';
import type { Counting, GivenSpan, OffsetUnit } from './layout.js';

/** `either`: both units fit and mean different stretches. */
export type FittingUnit = OffsetUnit | 'either';

interface Placed {
  /** One for each span; null: it is empty, or its text does not stand there. */
  readonly entities: (Json | null)[];
  readonly problem: { readonly field: string; readonly reason: string } | null;
  /** The unit that the row proves; null if both mean the same. */
  readonly fits: FittingUnit | null;
  /** Spans without a text, and those of them that begin or end inside a word. */
  readonly unquoted: number;
  readonly cut: number;
  /** The first that is cut, in words. */
  readonly example: string | null;
  readonly quoted: number;
  readonly misquoted: number;
  /** Of the first of these. */
  readonly fault: string | null;
  readonly empty: number;
}

/**
 * Converts spans of an unknown unit to entities with a `start` in code points. The units differ only after characters
 * beyond U+FFFF, such as emoji. There the given text of the spans decides, and else whether they begin and end at the
 * edges of words.
 * @param assumed the unit for a row in which both fit
 */
export function placeSpans(
  text: string,
  spans: readonly GivenSpan[],
  assumed: OffsetUnit,
  counting: Counting = 'usual',
): Placed {
  if (counting === 'bytes')
    return placed(reading(text, inCodePoints(text, spans), new CodePoints(text), 'code points'), null);
  const found = placeIn(text, spans, assumed);
  if (!text.includes('\r\n') || (found.problem === null && found.misquoted === 0)) return found;
  // Browsers count a line break as one character.
  const breaks: number[] = [];
  const short = text.replaceAll('\r\n', (_, at: number) => {
    breaks.push(at - breaks.length);
    return '\n';
  });
  const inShort = placeIn(short, spans, assumed);
  if (inShort.problem !== null || inShort.quoted === 0 || inShort.misquoted > 0) return found;
  const longer = (at: number) => at + breaks.filter((each) => each < at).length;
  const pieces = spans.map((span) => ({ ...span, start: longer(span.start), end: longer(span.end) }));
  return placeIn(text, pieces, assumed);
}

function placeIn(text: string, spans: readonly GivenSpan[], assumed: OffsetUnit): Placed {
  const points = new CodePoints(text);
  const codePoints = reading(text, spans, points, 'code points');
  if (points.length === text.length) return placed(codePoints, null);
  const utf16 = reading(text, spans, points, 'UTF-16');
  const likelier = assumed === 'UTF-16' ? utf16 : codePoints;
  if (codePoints.problem && utf16.problem) return placed(likelier, null);
  if (utf16.problem) return placed(codePoints, 'code points');
  if (codePoints.problem) return placed(utf16, 'UTF-16');
  if (codePoints.misquoted < utf16.misquoted) return placed(codePoints, 'code points');
  if (utf16.misquoted < codePoints.misquoted) return placed(utf16, 'UTF-16');
  if (codePoints.starts.join() === utf16.starts.join() && codePoints.ends.join() === utf16.ends.join())
    return placed(codePoints, null);
  if (codePoints.cuts === 0 && utf16.cuts > 0) return placed(codePoints, 'code points');
  if (utf16.cuts === 0 && codePoints.cuts > 0) return placed(utf16, 'UTF-16');
  return placed(likelier, 'either');
}

/** Spans as one unit reads them, up to the first that does not fit. */
interface Reading extends Omit<Placed, 'fits'> {
  /** UTF-16 code units. */
  readonly starts: number[];
  readonly ends: number[];
  /** Spans that begin or end inside a word. */
  readonly cuts: number;
}

const placed = ({ starts: _, ends: __, cuts: ___, ...read }: Reading, fits: Placed['fits']): Placed => ({
  ...read,
  fits,
});

/** Spans whose offsets count bytes of UTF-8, in code points; one within a character becomes one outside the text. */
export function inCodePoints(text: string, spans: readonly GivenSpan[]): readonly GivenSpan[] {
  const bytes = Buffer.from(text);
  if (bytes.length === text.length) return spans;
  const outside = bytes.length + 1;
  const places = new Uint32Array(outside).fill(outside);
  let points = 0;
  for (let at = 0; at <= bytes.length; at += 1)
    if (at === bytes.length || (bytes[at]! & 0xc0) !== 0x80) places[at] = points++;
  return spans.map((span) => ({ ...span, start: places[span.start] ?? outside, end: places[span.end] ?? outside }));
}

/** The text of a span, and whether it begins or ends inside a word; null: it lies outside the text. */
export function stretchOf(
  text: string,
  points: CodePoints,
  { start, end }: GivenSpan,
  unit: OffsetUnit,
): { readonly stretch: string; readonly isCut: boolean } | null {
  const [from, to] = unit === 'UTF-16' ? [start, end] : [points.utf16Index(start), points.utf16Index(end)];
  if (from === null || to === null || points.pointAt(from) === null || points.pointAt(to) === null) return null;
  return { stretch: text.slice(from, to), isCut: isInWord(text, from) || isInWord(text, to) };
}

export const isWithoutBlanks = (stretch: string): boolean => WITHOUT_BLANKS.test(stretch);

function reading(text: string, spans: readonly GivenSpan[], points: CodePoints, unit: OffsetUnit): Reading {
  const found = {
    ...{ entities: [] as (Json | null)[], starts: [] as number[], ends: [] as number[], cuts: 0, unquoted: 0, cut: 0 },
    ...{ example: null as string | null, quoted: 0, misquoted: 0, fault: null as string | null, empty: 0 },
  };
  for (const { start, end, label, text: given, at } of spans) {
    const [from, to] = unit === 'UTF-16' ? [start, end] : [points.utf16Index(start), points.utf16Index(end)];
    const first = from === null ? null : points.pointAt(from);
    if (from === null || to === null || first === null || points.pointAt(to) === null)
      return { ...found, problem: { field: at, reason: outside(start, end, unit === 'UTF-16' ? text : points) } };
    const stretch = text.slice(from, to);
    found.starts.push(from);
    found.ends.push(to);
    if (given !== undefined) found.quoted += 1;
    if (from === to) {
      found.entities.push(null);
      found.empty += 1;
      continue;
    }
    if (given !== undefined && !areAlike(given, stretch)) {
      found.fault ??= `${at} ${quote(given)} does not stand at ${start} to ${end}, where text has ${quote(stretch)}`;
      found.entities.push(null);
      found.misquoted += 1;
      continue;
    }
    found.entities.push({ text: stretch, label, start: first });
    const isCut = isInWord(text, from) || isInWord(text, to);
    if (isCut) found.cuts += 1;
    if (given !== undefined) continue;
    found.unquoted += 1;
    if (!isCut || WITHOUT_BLANKS.test(stretch)) continue;
    found.cut += 1;
    found.example ??= `${start} to ${end} is ${quote(stretch)}, and with the character at ${end} ${quote(text.slice(from, to + 1))}`;
  }
  return { ...found, problem: null };
}

const outside = (start: number, end: number, { length }: { readonly length: number }): string =>
  end > length
    ? `${start} to ${end} lies outside text, which has ${length} characters`
    : `${start} to ${end} begins or ends inside a character`;

/** Scripts in which words follow each other without blanks. */
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{M}\p{N}]/u;
const isInWord = (text: string, at: number): boolean => WORD.test(text.charAt(at - 1)) && WORD.test(text.charAt(at));
