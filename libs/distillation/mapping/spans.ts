import { DATE_FORMS, datesIn, readDate, readForm, writeDate, type DateOrder } from './dates.js';
import { NUMBER_FORMS, numbersIn, readNumber, writeNumber, type NumberForm } from './numbers.js';

/** How the value of an answer follows from the stretch of the text that says it. */
export type Writer =
  | { readonly kind: 'text'; readonly form: TextForm }
  | { readonly kind: 'number'; readonly form: NumberForm }
  | { readonly kind: 'date'; readonly form: string; readonly order: DateOrder };

const TEXT_FORMS = [
  'as is',
  'lower',
  'upper',
  'title',
  'sentence',
  'singular',
  'singular lower',
  'compact',
  'compact upper',
  'digits',
  'spaced',
] as const;
type TextForm = (typeof TEXT_FORMS)[number];

const WRITERS: readonly Writer[] = [
  ...TEXT_FORMS.map((form) => ({ kind: 'text', form }) as const),
  ...NUMBER_FORMS.map((form) => ({ kind: 'number', form }) as const),
  ...DATE_FORMS.flatMap((form) => (['d/m', 'm/d'] as const).map((order) => ({ kind: 'date', form, order }) as const)),
];

/** Letters and digits of a value that may be written with marks and blanks in the text, as IBANs are. */
const MIN_COMPACT = 6;
const WORD = /[\p{L}\p{N}]/u;

/**
 * The stretch of a text that says a value: as it is, as a date, in another case or with other blanks, as a number, in the plural, without
 * marks, in this order. @returns null if there is none
 */
export function locate(value: string, text: string): string | null {
  if (value === '') return null;
  return (
    exact(value, text) ??
    ofDate(value, text) ??
    caseless(value, text) ??
    ofNumber(value, text) ??
    plural(value, text) ??
    compact(value, text)
  );
}

const exact = (value: string, text: string): string | null => within(value, { folded: text, places: null, text });

/** A text in another form, and where each unit of it stands in the text itself; null: at the same place. */
interface Folded {
  readonly folded: string;
  readonly places: readonly number[] | null;
  readonly text: string;
}

/** The stretch of a text in whose form a value stands, not amid words. */
function within(value: string, { folded, places, text }: Folded): string | null {
  const [first, last] = [WORD.test(value[0] ?? ''), WORD.test(value.at(-1) ?? '')];
  if (value === '') return null;
  for (let at = folded.indexOf(value); at >= 0; at = folded.indexOf(value, at + 1)) {
    const start = places?.[at] ?? at;
    const end = (places?.[at + value.length - 1] ?? at + value.length - 1) + 1;
    const [before, after] = [text[start - 1] ?? ' ', text[end] ?? ' '];
    if (!(first && WORD.test(before)) && !(last && WORD.test(after))) return text.slice(start, end);
  }
  return null;
}

/** A text in lower case, with one blank for several. */
const inLowerCase = (text: string): Folded =>
  foldedBy(text, (unit, before) => (/\s/.test(unit) ? (before === ' ' ? '' : ' ') : unit.toLowerCase()));

/** A text in lower case, without anything but letters and digits. */
const inLetters = (text: string): Folded => foldedBy(text, (unit) => (WORD.test(unit) ? unit.toLowerCase() : ''));

function foldedBy(text: string, fold: (unit: string, before: string) => string): Folded {
  const places: number[] = [];
  let folded = '';
  for (let at = 0; at < text.length; at += 1) {
    const unit = fold(text[at]!, folded.at(-1) ?? '');
    // A letter of which the small one has two units would move the others.
    if (unit.length !== 1) continue;
    folded += unit;
    places.push(at);
  }
  return { folded, places, text };
}

/** In another case, or with other blanks. */
const caseless = (value: string, text: string): string | null => within(inLowerCase(value).folded, inLowerCase(text));

function ofDate(value: string, text: string): string | null {
  for (const form of DATE_FORMS) {
    const day = readForm(value, form);
    if (day === null) continue;
    const found = datesIn(text).find((stretch) =>
      (['d/m', 'm/d'] as const).some((order) => {
        const read = readDate(stretch, order);
        return read?.month === day.month && read.day === day.day && (read.year ?? day.year) === day.year;
      }),
    );
    if (found !== undefined) return found;
  }
  return null;
}

function ofNumber(value: string, text: string): string | null {
  if (!/^-?\d+(?:\.\d+)?$/.test(value)) return null;
  const found = numbersIn(text).filter((stretch) => readNumber(stretch) === Number(value));
  // `a` is a number only where no other says it.
  return found.find((stretch) => !/^an?$/i.test(stretch)) ?? found[0] ?? null;
}

function plural(value: string, text: string): string | null {
  if (!/\p{L}$/u.test(value)) return null;
  const [own, folded] = [inLowerCase(value).folded, inLowerCase(text)];
  for (const form of [`${own}s`, `${own}es`, own.replace(/y$/, 'ies'), singular(own)]) {
    const found = form === own ? null : within(form, folded);
    if (found !== null) return found;
  }
  return null;
}

function compact(value: string, text: string): string | null {
  const letters = inLetters(value).folded;
  return letters.length < MIN_COMPACT ? null : within(letters, inLetters(text));
}

export const singular = (text: string): string =>
  /[^s]ies$/i.test(text)
    ? text.replace(/ies$/i, 'y')
    : /(?:ch|sh|x|ss|zz)es$/i.test(text)
      ? text.slice(0, -2)
      : /[^su]s$/i.test(text)
        ? text.slice(0, -1)
        : text;

/**
 * The value that a writer makes of a stretch.
 * @param year of the call, for dates without one
 * @returns null if the stretch is no such value
 */
export function writeSpan(writer: Writer, span: string, year: number): string | null {
  if (writer.kind === 'text') return TEXTS[writer.form](span);
  if (writer.kind === 'number') {
    const value = readNumber(span);
    return value === null ? null : writeNumber(value, writer.form);
  }
  const [stretch] = datesIn(span);
  const day = stretch === undefined ? null : readDate(stretch, writer.order);
  return day === null ? null : writeDate(day, writer.form, year);
}

const titled = (text: string): string =>
  text.toLowerCase().replace(/(?<![\p{L}\p{N}'])\p{L}/gu, (letter) => letter.toUpperCase());
const compacted = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');
const TEXTS: Readonly<Record<TextForm, (span: string) => string>> = {
  'as is': (span) => span,
  lower: (span) => span.toLowerCase(),
  upper: (span) => span.toUpperCase(),
  title: titled,
  sentence: (span) => span.slice(0, 1).toUpperCase() + span.slice(1),
  singular,
  'singular lower': (span) => singular(span.toLowerCase()),
  compact: compacted,
  'compact upper': (span) => compacted(span).toUpperCase(),
  digits: (span) => span.replace(/\D/g, ''),
  spaced: (span) => span.replace(/\s+/g, ' '),
};

/** A value, the stretch that says it, and the year of its call. */
export interface LocatedValue {
  readonly value: string;
  readonly span: string;
  readonly year: number;
}

/** The writer that gives most of the values, the first of several. It is chosen on half of them, and its share right is of the others. */
export function fitWriter(located: readonly LocatedValue[]): { readonly writer: Writer; readonly right: number } {
  const half = located.filter((_, at) => at % 2 === 0);
  const shareOf = (writer: Writer, all: readonly LocatedValue[]) =>
    all.filter(({ value, span, year }) => writeSpan(writer, span, year) === value).length / Math.max(1, all.length);
  const shares = WRITERS.map((writer) => shareOf(writer, half));
  const writer = WRITERS[shares.indexOf(Math.max(...shares))]!;
  const others = located.filter((_, at) => at % 2 === 1);
  return { writer, right: shareOf(writer, others.length > 0 ? others : half) };
}
