/** A day; the year is null where a text does not say it. */
export interface Day {
  readonly year: number | null;
  readonly month: number;
  readonly day: number;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = String.raw`(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`;
const NAMED = String.raw`\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}(?:,? \d{4})?|${MONTH} \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?`;
/** Dates as texts have them. */
const IN_TEXT = new RegExp(
  String.raw`\b(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}(?:[./](?:\d{4}|\d{2}))?|${NAMED})(?![\p{L}\p{N}])`,
  'giu',
);

/** Whether a date of numbers alone has the day or the month first. */
export type DateOrder = 'd/m' | 'm/d';

/** The stretches of a text that may be dates. */
export const datesIn = (text: string): readonly string[] => text.match(IN_TEXT) ?? [];

/** Reads a date of a text. @returns null for what is none */
export function readDate(text: string, order: DateOrder): Day | null {
  const numbers = (text.match(/\d+/g) ?? []).map(Number);
  const name = /[a-z]{3,}/gi.exec(text.replace(/\d+(?:st|nd|rd|th)/gi, '').replace(/\bof\b/gi, ''))?.[0];
  if (name !== undefined) {
    const month = MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
    return dayOf(numbers[1] ?? null, month, numbers[0]!);
  }
  if (/^\d{4}-/.test(text)) return dayOf(numbers[0]!, numbers[1]!, numbers[2]!);
  const year = numbers[2] === undefined ? null : numbers[2] < 100 ? 2000 + numbers[2] : numbers[2];
  return order === 'd/m' ? dayOf(year, numbers[1]!, numbers[0]!) : dayOf(year, numbers[0]!, numbers[1]!);
}

const dayOf = (year: number | null, month: number, day: number): Day | null =>
  month >= 1 && month <= 12 && day >= 1 && day <= 31 ? { year, month, day } : null;

/** The form in which answers have dates: letters stand for digits, as in `YYYY-MM-DD`. */
const FORMS: readonly (readonly [string, RegExp, readonly ('year' | 'month' | 'day')[]])[] = [
  ['YYYY-MM-DD', /^(\d{4})-(\d{2})-(\d{2})$/, ['year', 'month', 'day']],
  ['DD.MM.YYYY', /^(\d{2})\.(\d{2})\.(\d{4})$/, ['day', 'month', 'year']],
  ['DD/MM/YYYY', /^(\d{2})\/(\d{2})\/(\d{4})$/, ['day', 'month', 'year']],
  ['MM/DD/YYYY', /^(\d{2})\/(\d{2})\/(\d{4})$/, ['month', 'day', 'year']],
  ['YYYYMMDD', /^(\d{4})(\d{2})(\d{2})$/, ['year', 'month', 'day']],
];
export const DATE_FORMS = FORMS.map(([form]) => form);

/** Reads a date of an answer. @returns null for another form */
export function readForm(value: string, form: string): Day | null {
  const [, pattern, order] = FORMS.find(([name]) => name === form)!;
  const found = pattern.exec(value);
  if (found === null) return null;
  const part = (name: 'year' | 'month' | 'day') => Number(found[order.indexOf(name) + 1]);
  return dayOf(part('year'), part('month'), part('day'));
}

/** @param year of the call, for a date without one */
export const writeDate = ({ year: own, month, day }: Day, form: string, year: number): string =>
  form
    .replace('YYYY', String(own ?? year).padStart(4, '0'))
    .replace('MM', String(month).padStart(2, '0'))
    .replace('DD', String(day).padStart(2, '0'));
