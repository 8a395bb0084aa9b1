import { items } from '../../templates/template.js';
import { between, chance, filled, pick } from '../draw.js';

const MONTHS = items('January;February;March;April;May;June;July;August;September;October;November;December');
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A day of the calendar; every month has at least 28. */
export interface Day {
  readonly day: number;
  /** Month from 0. */
  readonly month: number;
  readonly year: number;
  /** Date format; both ends of a range use the same. */
  readonly form: number;
}

const two = (n: number) => String(n).padStart(2, '0');
const suffixed = (n: number) =>
  `${n}${n % 10 === 1 && n !== 11 ? 'st' : n % 10 === 2 && n !== 12 ? 'nd' : n % 10 === 3 && n !== 13 ? 'rd' : 'th'}`;
const short = (month: number) => MONTHS[month]!.slice(0, 3);

const FORMS: readonly ((day: Day) => string)[] = [
  ({ day, month }) => `${MONTHS[month]} ${day}`,
  ({ day, month, year }) => `${MONTHS[month]} ${day}, ${year}`,
  ({ day, month, year }) => `${day} ${MONTHS[month]} ${year}`,
  ({ day, month }) => `${day} ${MONTHS[month]}`,
  ({ day, month }) => `${MONTHS[month]} ${suffixed(day)}`,
  ({ day, month, year }) => `${year}-${two(month + 1)}-${two(day)}`,
  ({ day, month, year }) => `${two(month + 1)}/${two(day)}/${year}`,
  ({ day, month, year }) => `${day} ${short(month)} ${year}`,
  ({ day, month, year }) => `${short(month)} ${day}, ${year}`,
  ({ day, month, year }) => `${two(day)}.${two(month + 1)}.${year}`,
];

/** @param written prose: no forms of digits alone */
export const day = (written = true): Day => ({
  day: between(1, 28),
  month: between(0, 11),
  year: between(2019, 2027),
  form: written && chance(0.8) ? between(0, 4) : between(0, FORMS.length - 1),
});

export const dayText = (of: Day): string => FORMS[of.form]!(of);

/** The day `count` days later. */
export function daysLater(of: Day, count: number): Day {
  const date = new Date(Date.UTC(of.year, of.month, of.day + count));
  return { ...of, day: date.getUTCDate(), month: date.getUTCMonth(), year: date.getUTCFullYear() };
}

export const isoDay = ({ day, month, year }: Day): string => `${year}-${two(month + 1)}-${two(day)}`;
export const weekday = (): string => pick(WEEKDAYS);
export const monthName = (): string => pick(MONTHS);
export const monthOfYear = (): string => `${pick(MONTHS)} ${between(2018, 2026)}`;
export const year = (): string => String(between(1985, 2026));

export const relativeDay = (): string =>
  pick(
    [
      'yesterday',
      'today',
      'tomorrow',
      'last week',
      'last month',
      'next week',
      'next month',
      'this weekend',
      'this morning',
      () => `last ${weekday()}`,
      () => `next ${weekday()}`,
      () => `this ${weekday()}`,
      () => `${between(2, 12)} ${pick(['days', 'weeks', 'months'])} ago`,
    ].map((each) => (typeof each === 'string' ? () => each : each)),
  )();

export const time = (): string => {
  const [hour, minute] = [between(1, 12), pick(['00', '15', '30', '45', '10', '20', '40', '05', '50'])];
  return pick([
    () => `${hour}:${minute} ${pick(['am', 'pm', 'AM', 'PM', 'a.m.', 'p.m.'])}`,
    () => `${hour} ${pick(['am', 'pm'])}`,
    () => `${hour}${pick(['am', 'pm'])}`,
    () => `${two(between(6, 23))}:${minute}`,
    () => `${between(7, 22)}:${minute}`,
    () =>
      pick([
        'noon',
        'midnight',
        `${pick(['seven', 'eight', 'nine', 'ten', 'five', 'six'])} o'clock`,
        'half past nine',
        'quarter to eight',
      ]),
  ])();
};

const NUMBERS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'twelve'];

/** Days and weeks. */
export const duration = (): string =>
  pick([
    () => `${between(2, 20)} days`,
    () => `${pick(NUMBERS)} ${pick(['days', 'weeks'])}`,
    () => `${between(2, 10)} weeks`,
    () => pick(['a week', 'ten days', 'a month', 'two and a half weeks', 'a fortnight']),
    () => `${between(2, 5)} to ${between(6, 12)} days`,
  ])();

/** Minutes and hours. */
export const wait = (): string =>
  pick([
    () => `${pick(['10', '15', '20', '25', '30', '35', '40', '45', '50', '90'])} minutes`,
    () => `${pick(NUMBERS)} hours`,
    () => `${between(2, 9)} hours`,
    () => pick(['half an hour', 'an hour', 'an hour and a half', 'three quarters of an hour', 'almost two hours']),
  ])();

/** Months and years. */
export const years = (): string =>
  pick([
    () => `${between(2, 25)} years`,
    () => `${pick(NUMBERS)} ${pick(['years', 'months'])}`,
    () => `${between(3, 18)} months`,
    () => pick(['a year', 'a decade', 'a year and a half', 'half a year', 'two and a half years']),
  ])();

export const age = (): string =>
  pick([
    () => String(between(18, 88)),
    () => `${between(2, 90)} years old`,
    () => `${between(20, 85)}-year-old`,
    () => filled(pick(['3# years', '4# years', '5# years'])),
  ])();
