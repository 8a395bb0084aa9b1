import type { Random } from '#gpu-runner/engines/builtin/random.js';
import { items } from '#rows/synthetic/templates/template.js';
import { between, chance, filled, pick, weighted } from './choice.js';
import { numberWord, smallWord, suffixed } from './number-expressions.js';

/** Dates, times of day, durations and ages as people write them. */

export const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']; // prettier-ignore
const shortMonths = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Sept', 'Oct', 'Nov', 'Dec', 'Jan.', 'Feb.', 'Aug.', 'Sept.', 'Oct.', 'Nov.', 'Dec.']; // prettier-ignore
export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const shortWeekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun', 'Tues', 'Thurs'];
const seasons = ['spring', 'summer', 'autumn', 'fall', 'winter'];

export function weekday(random: Random): string {
  return chance(random, 0.93) ? pick(random, weekdays) : pick(random, shortWeekdays);
}

export function month(random: Random): string {
  return chance(random, 0.88) ? pick(random, months) : pick(random, shortMonths);
}

export function year(random: Random): string {
  return weighted(random, [
    [12, () => String(between(random, 1960, 2029))],
    [3, () => String(between(random, 1500, 1959))],
    [1, () => String(between(random, 2030, 2070))],
    [1, () => pick(random, ["'99", "'98", "'05", '44 BC', '1200 BC', 'AD 79'])],
  ])();
}

export function decade(random: Random): string {
  return pick(random, [`${between(random, 150, 202)}0s`, `${between(random, 2, 9)}0s`, `${between(random, 196, 201)}0s`, 'eighties', 'nineties', 'sixties', 'seventies', 'twenties', '19th century', '20th century', 'twentieth century', '18th century', 'early 1990s', 'late 1970s', 'mid-1980s']); // prettier-ignore
}

const relative = ['today', 'today', 'yesterday', 'yesterday', 'tomorrow', 'tomorrow', 'last week', 'last month', 'last year', 'next week', 'next month', 'next year', 'this week', 'this month', 'this year', 'this weekend', 'next weekend', 'last weekend', 'the day after tomorrow', 'the day before yesterday', 'earlier this year', 'earlier this week', 'later this month', 'later this year']; // prettier-ignore

/** Relative to the day of speaking. */
export function relativeDate(random: Random): string {
  return weighted(random, [
    [9, () => pick(random, relative)],
    [3, () => `${pick(random, ['next', 'last', 'this'])} ${pick(random, weekdays)}`],
    [2, () => `${pick(random, ['next', 'last', 'this'])} ${pick(random, [...seasons, ...months])}`],
    [
      2,
      () =>
        `${chance(random, 0.6) ? smallWord(random) : between(random, 2, 40)} ${pick(random, ['days', 'weeks', 'months', 'years', 'decades'])} ago`,
    ],
    [
      1,
      () =>
        pick(random, [
          'a week ago',
          'a year ago',
          'a month ago',
          'a few days ago',
          'a couple of weeks ago',
          'a few years ago',
        ]),
    ],
    [
      1,
      () =>
        `in ${pick(random, ['two', 'three', 'a few', 'ten'])} ${pick(random, ['days', 'weeks', 'months', 'years'])}`,
    ],
  ])();
}

function calendarDate(random: Random): string {
  const day = between(random, 1, 31);
  const monthNumber = between(random, 1, 12);
  const y = String(between(random, 1950, 2029));
  const two = (n: number) => String(n).padStart(2, '0');
  const name = pick(random, months);
  return weighted(random, [
    [6, () => `${name} ${day}`],
    [4, () => `${name} ${day}, ${y}`],
    [2, () => `${name} ${suffixed(day)}`],
    [1, () => `${name} ${suffixed(day)}, ${y}`],
    [3, () => `${day} ${name}`],
    [4, () => `${day} ${name} ${y}`],
    [2, () => `${suffixed(day)} of ${name}`],
    [1, () => `the ${suffixed(day)} of ${name}`],
    [1, () => `${suffixed(day)} ${name} ${y}`],
    [2, () => `${pick(random, shortMonths)} ${day}`],
    [1, () => `${day} ${pick(random, shortMonths)} ${y}`],
    [1, () => `${pick(random, shortMonths)} ${day}, ${y}`],
    [4, () => `${y}-${two(monthNumber)}-${two(day)}`],
    [2, () => `${two(monthNumber)}/${two(day)}/${y}`],
    [1, () => `${monthNumber}/${day}`],
    [1, () => `${monthNumber}/${day}/${y.slice(2)}`],
    [2, () => `${two(day)}.${two(monthNumber)}.${y}`],
    [1, () => `${day}/${monthNumber}/${y}`],
    [1, () => `${two(day)}-${two(monthNumber)}-${y}`],
    [1, () => `${two(day)}-${pick(random, shortMonths).replace('.', '')}-${y}`],
    [2, () => `${pick(random, weekdays)}, ${name} ${day}`],
    [1, () => `${pick(random, weekdays)}, ${day} ${name} ${y}`],
    [1, () => `${pick(random, shortWeekdays)} ${day} ${name}`],
    [3, () => `${name} ${y}`],
    [1, () => `${name} of ${y}`],
    [1, () => `the ${suffixed(day)}`],
  ])();
}

export function date(random: Random): string {
  return weighted(random, [
    [16, () => calendarDate(random)],
    [6, () => weekday(random)],
    [7, () => year(random)],
    [3, () => month(random)],
    [5, () => relativeDate(random)],
    [2, () => `${pick(random, seasons)} ${chance(random, 0.5) ? 'of ' : ''}${year(random)}`],
    [2, () => decade(random)],
    [1, () => decade(random)],
    [
      1,
      () =>
        pick(
          random,
          items(
            'Q1 2024;Q3 2023;the third quarter;the first half of 2022;the end of the year;the end of the month;the weekend;the weekend;this week;early 2021;late 2019;mid-June;early March;late October;the beginning of May;fiscal 2020;the weekend;weekends',
          ),
        ),
    ],
  ])();
}

const partsOfDay = ['morning', 'afternoon', 'evening', 'night'];

export function time(random: Random): string {
  const hour = between(random, 1, 12);
  const minute = pick(random, [
    '00',
    '15',
    '30',
    '45',
    filled(random, '5#'),
    filled(random, '0#'),
    filled(random, '2#'),
  ]);
  const half = pick(random, ['am', 'pm', 'a.m.', 'p.m.', 'AM', 'PM']);
  return weighted(random, [
    [6, () => `${hour} ${half}`],
    [3, () => `${hour}${half.replaceAll('.', '')}`],
    [6, () => `${hour}:${minute} ${half}`],
    [2, () => `${hour}:${minute}${half.replaceAll('.', '')}`],
    [7, () => `${between(random, 0, 23)}:${minute}`],
    [2, () => `${String(between(random, 0, 23)).padStart(2, '0')}:${minute}`],
    [1, () => `${String(between(random, 0, 23)).padStart(2, '0')}:${minute}:${filled(random, '3#')}`],
    [1, () => `${between(random, 0, 23)}.${minute}`],
    [2, () => `${pick(random, [String(hour), smallWord(random)])} ${pick(random, ["o'clock", "o'clock", 'oclock'])}`],
    [
      3,
      () =>
        pick(
          random,
          items(
            'noon;midnight;midday;lunchtime;dawn;sunset;half past nine;quarter to six;half past two;a quarter past four;ten to five',
          ),
        ),
    ],
    [
      3,
      () =>
        pick(
          random,
          items(
            'tonight;last night;this morning;this evening;this afternoon;tomorrow morning;tomorrow night;yesterday evening;yesterday afternoon;tomorrow evening',
          ),
        ),
    ],
    [3, () => `${pick(random, weekdays)} ${pick(random, partsOfDay)}`],
    [
      1,
      () =>
        pick(random, [
          'an hour ago',
          'two hours ago',
          'a few minutes ago',
          'ten minutes ago',
          '5 minutes ago',
          'half an hour ago',
        ]),
    ],
    [1, () => `${hour}:${minute} ${half} ${pick(random, ['EST', 'ET', 'GMT', 'UTC', 'PST', 'CET'])}`],
    [1, () => `${between(random, 0, 23)}h${minute === '00' ? '' : minute}`],
    [1, () => smallWord(random)],
    [1, () => String(hour)],
  ])();
}

const timeUnits = ['minutes', 'minutes', 'hours', 'hours', 'days', 'days', 'weeks', 'weeks', 'months', 'months', 'years', 'years', 'years', 'seconds', 'nights', 'decades', 'quarters', 'centuries']; // prettier-ignore

export function duration(random: Random): string {
  const unit = pick(random, timeUnits);
  return weighted(random, [
    [7, () => `${between(random, 2, 60)} ${unit}`],
    [7, () => `${smallWord(random)} ${unit}`],
    [2, () => `${numberWord(random)} ${unit}`],
    [1, () => `${between(random, 1, 5)}-${between(random, 6, 12)} ${unit}`],
    [
      1,
      () =>
        `${pick(random, ['two', 'three', '5', '10'])} ${pick(random, ['to', 'or'])} ${pick(random, ['four', 'five', '7', '15'])} ${unit}`,
    ],
    [
      1,
      () =>
        `${between(random, 1, 9)}${pick(random, ['.5', ' and a half', ' 1/2'])} ${pick(random, ['hours', 'years', 'months', 'weeks'])}`,
    ],
    [
      3,
      () =>
        pick(
          random,
          items(
            'an hour;a day;a week;a month;a year;a minute;a decade;a century;half an hour;half a year;one hour;one week;one year;one month;one day;a fortnight;an hour and a half;a few hours;a few days;a few weeks;a couple of days;a couple of years;several years;several months;more than a year;all day;all night',
          ),
        ),
    ],
    [
      2,
      () =>
        `${between(random, 1, 90)} ${pick(random, ['min', 'mins', 'hrs', 'hr', 'h', 'sec', 's', 'ms', 'yrs', 'hours', 'minutes'])}`,
    ],
    [1, () => `${between(random, 1, 900)}${pick(random, ['min', 'h', 's', 'ms', 'd', 'm'])}`],
    [
      1,
      () =>
        `${between(random, 1, 9)} ${pick(random, ['hours', 'h', 'hr'])} ${between(random, 5, 55)} ${pick(random, ['minutes', 'min', 'mins'])}`,
    ],
    [1, () => `${between(random, 2, 30)}-${pick(random, ['day', 'year', 'month', 'week', 'hour', 'minute'])}`],
  ])();
}

export function age(random: Random): string {
  return weighted(random, [
    [6, () => `${between(random, 2, 99)} years old`],
    [3, () => bareAge(random)],
    [2, () => `${between(random, 2, 24)} ${pick(random, ['months', 'weeks', 'days'])} old`],
    [2, () => `${between(random, 2, 99)}-year-old`],
    [2, () => `${numberWord(random)} years old`],
    [1, () => `${between(random, 2, 99)} ${pick(random, ['years of age', 'y/o', 'yo', 'yrs old', 'y.o.'])}`],
    [1, () => `aged ${between(random, 2, 99)}`],
    [1, () => `${pick(random, ['two', 'three', 'five', 'nine', 'twelve'])}-year-old`],
    [
      1,
      () =>
        `in ${pick(random, ['his', 'her', 'their', 'my'])} ${pick(random, ['twenties', 'thirties', 'forties', 'fifties', '20s', '30s', '60s', 'early twenties', 'late forties'])}`,
    ],
  ])();
}

export function bareAge(random: Random): string {
  return chance(random, 0.75) ? String(between(random, 2, 99)) : numberWord(random);
}

/** "Saturday morning": a time of one day. */
export function partOfDay(random: Random): string {
  return `${pick(random, weekdays)} ${pick(random, partsOfDay)}`;
}

/** Reckoned from now: "in ten minutes", "two weeks from now". */
export function relativeTime(random: Random): string {
  const amount = chance(random, 0.6) ? smallWord(random) : String(between(random, 2, 45));
  const unit = pick(random, ['seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'years']);
  return pick(random, [
    `in ${amount} ${unit}`,
    `${amount} ${unit} from now`,
    `${amount} ${unit} from today`,
    'in an hour',
    'in a minute',
    'tonight',
    'this evening',
    'in half an hour',
    'a week from now',
    'an hour from now',
  ]);
}
