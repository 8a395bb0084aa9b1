import type { Random } from '#gpu-runner/engines/builtin/random.js';
import { items } from '#rows/synthetic/templates/template.js';
import { between, chance, filled, pick, weighted } from './choice.js';

/** Amounts, measures, counts and percentages as people write them. */

const small = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const teens = ['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'];
const tens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const magnitudes = ['thousand', 'million', 'billion', 'trillion'];

export function smallWord(random: Random): string {
  return pick(random, small);
}

export function numberWord(random: Random): string {
  return weighted(random, [
    [8, () => pick(random, small)],
    [2, () => pick(random, teens)],
    [2, () => pick(random, tens)],
    [1, () => `${pick(random, tens)}-${pick(random, small.slice(0, 8))}`],
    [
      1,
      () =>
        `${pick(random, ['a', 'one', 'two', 'three', 'five', 'several'])} ${pick(random, ['hundred', ...magnitudes])}`,
    ],
    [
      1,
      () =>
        pick(
          random,
          items(
            'dozens;hundreds;thousands;a dozen;a couple of hundred;half a million;two dozen;half a dozen;a hundred;a thousand',
          ),
        ),
    ],
  ])();
}

export function smallDigits(random: Random): string {
  return String(between(random, 1, chance(random, 0.6) ? 12 : 60));
}

function largeDigits(random: Random): string {
  return weighted(random, [
    [4, () => String(between(random, 11, 999))],
    [3, () => thousands(between(random, 1000, 99_999))],
    [1, () => thousands(between(random, 100_000, 9_999_999))],
    [1, () => String(between(random, 1000, 99_999))],
    [2, () => `${decimal(random)} ${pick(random, ['million', 'million', 'billion', 'thousand'])}`],
    [1, () => `${between(random, 2, 900)} ${pick(random, ['million', 'billion', 'thousand'])}`],
    [1, () => `${between(random, 2, 90)}${pick(random, ['k', 'K', 'M', 'm'])}`],
  ])();
}

/** A count of things or people. */
export function count(random: Random): string {
  return weighted(random, [
    [4, () => smallWord(random)],
    [2, () => numberWord(random)],
    [4, () => smallDigits(random)],
    [4, () => largeDigits(random)],
  ])();
}

function thousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function decimal(random: Random): string {
  return `${between(random, 0, chance(random, 0.7) ? 12 : 99)}${chance(random, 0.9) ? '.' : ','}${filled(random, chance(random, 0.6) ? '#' : '##')}`;
}

export function percent(random: Random): string {
  const value = weighted(random, [
    [5, () => String(between(random, 1, 99))],
    [4, () => decimal(random)],
    [1, () => String(between(random, 1, 9) * 100)],
  ])();
  return weighted(random, [
    [6, () => `${value}%`],
    [2, () => `${value} %`],
    [4, () => `${value} percent`],
    [2, () => `${value} per cent`],
    [1, () => `${numberWord(random)} ${pick(random, ['percent', 'per cent'])}`],
    [1, () => `${between(random, 1, 20)}-${between(random, 21, 60)}%`],
    [1, () => `${value} percentage points`],
    [1, () => `${pick(random, ['-', '+'])}${value}%`],
  ])();
}

const signs = ['$', '$', '$', '$', '€', '€', '£', '£', '¥', '₹', 'US$', 'C$', 'A$', 'R$', 'HK$'];
const codes = items('USD;EUR;GBP;CHF;JPY;CAD;AUD;SEK;NOK;DKK;PLN;INR;CNY;ZAR;BRL;MXN;TRY;KES;NGN;AED;SGD');
const names = ['dollars', 'dollars', 'euros', 'euros', 'pounds', 'yen', 'rupees', 'Swiss francs', 'francs', 'crowns', 'pesos', 'rubles', 'yuan', 'rand', 'shillings', 'marks', 'lire', 'bucks', 'dirhams', 'won', 'baht', 'zlotys', 'U.S. dollars', 'Canadian dollars', 'Australian dollars', 'quid', 'cents', 'pence', 'bitcoin', 'ether']; // prettier-ignore

export function money(random: Random): string {
  const plain = weighted(random, [
    [6, () => String(between(random, 1, 999))],
    [3, () => `${between(random, 1, 999)}.${filled(random, '##')}`],
    [1, () => `${between(random, 1, 99)}.${pick(random, ['99', '95', '50', '00', '49'])}`],
    [3, () => thousands(between(random, 1000, 999_999))],
    [1, () => `${thousands(between(random, 1000, 99_999))}.${filled(random, '##')}`],
    [1, () => `${between(random, 1, 9)}.${filled(random, '###')},${filled(random, '##')}`],
    [1, () => `${between(random, 1, 99)},${filled(random, '##')}`],
  ])();
  const scale = pick(random, ['million', 'million', 'billion', 'bn', 'm', 'trillion', 'thousand']);
  const big = `${chance(random, 0.5) ? between(random, 1, 900) : decimal(random)} ${scale}`;
  const short = `${chance(random, 0.5) ? between(random, 1, 900) : decimal(random)}${pick(random, ['k', 'K', 'm', 'M', 'bn', 'B'])}`;
  return weighted(random, [
    [12, () => `${pick(random, signs)}${plain}`],
    [1, () => `${pick(random, signs)} ${plain}`],
    [5, () => `${pick(random, signs)}${big}`],
    [1, () => `${pick(random, signs)}${short}`],
    [3, () => `${plain}${pick(random, ['€', ' €', '$', '£', ' zł', ' kr'])}`],
    [4, () => `${plain} ${pick(random, codes)}`],
    [2, () => `${pick(random, codes)} ${plain}`],
    [6, () => `${plain} ${pick(random, names)}`],
    [3, () => `${big} ${pick(random, names)}`],
    [2, () => `${numberWord(random)} ${pick(random, names)}`],
    [
      1,
      () =>
        pick(
          random,
          items('a dollar;a few dollars;a million dollars;half a million euros;one euro;a hundred bucks;ten bucks'),
        ),
    ],
  ])();
}

const longUnits = ['kilograms', 'kilos', 'grams', 'pounds', 'ounces', 'tons', 'tonnes', 'litres', 'liters', 'millilitres', 'gallons', 'pints', 'cups', 'cup', 'tablespoons', 'tablespoon', 'teaspoons', 'teaspoon', 'metres', 'meters', 'kilometres', 'kilometers', 'miles', 'mile', 'yards', 'feet', 'inches', 'centimetres', 'centimeters', 'millimetres', 'acres', 'hectares', 'square metres', 'square feet', 'square kilometres', 'cubic metres', 'degrees', 'degrees Celsius', 'watts', 'kilowatts', 'megawatts', 'volts', 'megabytes', 'gigabytes', 'terabytes', 'barrels', 'bushels', 'calories', 'light years', 'miles per hour', 'kilometers per hour', 'knots', 'slices', 'cloves', 'pinches', 'bottles', 'cans', 'milligrams']; // prettier-ignore
const shortUnits = ['kg', 'g', 'mg', 'lb', 'lbs', 'oz', 'l', 'ml', 'L', 'dl', 'm', 'km', 'cm', 'mm', 'ft', 'in', 'mi', 'mph', 'km/h', 'GB', 'MB', 'TB', 'kB', 'kWh', 'MW', 'V', 'W', 'Hz', 'GHz', 'mAh', '°C', '°F', 'm²', 'sqm', 'tbsp', 'tsp', 'hp', 'mcg', 'dB', 'ppm', 'mmol/l', 'mg/dL', 'mmHg', 'kcal']; // prettier-ignore

export function quantity(random: Random): string {
  const value = weighted(random, [
    [6, () => String(between(random, 1, 99))],
    [3, () => String(between(random, 100, 999))],
    [3, () => decimal(random)],
    [1, () => thousands(between(random, 1000, 99_999))],
    [1, () => pick(random, ['1/2', '1/4', '3/4', '½', '1½', '1 1/2', '2/3'])],
  ])();
  return weighted(random, [
    [
      2,
      () =>
        `${chance(random, 0.5) ? smallWord(random) : decimal(random)} ${pick(random, magnitudes)} ${pick(random, longUnits)}`,
    ],
    [5, () => `${value} ${pick(random, longUnits)}`],
    [5, () => `${value} ${pick(random, shortUnits)}`],
    [3, () => `${value}${pick(random, shortUnits)}`],
    [3, () => `${smallWord(random)} ${pick(random, longUnits)}`],
    [1, () => `${numberWord(random)} ${pick(random, longUnits)}`],
    [
      1,
      () =>
        pick(
          random,
          items(
            'half a cup;half a mile;a mile;a pound;a litre;one cup;one tablespoon;a few miles;half a kilo;a kilo;a quart;a teaspoon;a tablespoon;a gallon;an inch;a dozen',
          ),
        ),
    ],
    [1, () => `${between(random, 4, 6)} ${pick(random, ['feet', 'ft', 'foot'])} ${between(random, 1, 11)}`],
    [1, () => `${between(random, 10, 200)} x ${between(random, 10, 200)} ${pick(random, ['cm', 'mm', 'm', 'inches'])}`],
    [
      1,
      () =>
        `${between(random, 2, 40)}-${pick(random, ['inch', 'mile', 'foot', 'metre', 'litre', 'pound', 'kilometer'])}`,
    ],
  ])();
}

export function temperature(random: Random): string {
  const value = `${chance(random, 0.15) ? '-' : ''}${between(random, 1, 110)}`;
  return `${value}${pick(random, ['°C', '°F', ' °C', ' degrees', ' degrees Celsius', ' degrees Fahrenheit', '°', ' C', ' F', 'C', 'F'])}`;
}

export function dose(random: Random): string {
  const value = pick(random, items('5;10;20;25;40;50;75;81;100;200;250;400;500;600;750;850;1000;0.5;2.5;1,000'));
  return `${value}${pick(random, [' mg', 'mg', ' mcg', ' ml', ' units', ' mg', 'mg', ' milligrams'])}`;
}

export function measure(random: Random): string {
  return pick(random, [
    () => `${between(random, 90, 190)}/${between(random, 50, 110)} mmHg`,
    () =>
      `${decimal(random)} ${pick(random, ['mg/dL', 'mmol/l', 'ppm', 'mg per litre', 'micrograms per litre', 'parts per million'])}`,
    () => temperature(random),
  ])();
}

export function ordinal(random: Random): string {
  const n = between(random, 1, 60);
  return pick(random, ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'tenth', suffixed(n), suffixed(n)]);
}

export function suffixed(n: number): string {
  const last = n % 100 > 10 && n % 100 < 14 ? 0 : n % 10;
  return `${n}${last === 1 ? 'st' : last === 2 ? 'nd' : last === 3 ? 'rd' : 'th'}`;
}

export function score(random: Random): string {
  const a = between(random, 0, chance(random, 0.7) ? 7 : 120);
  return `${a}${pick(random, ['-', '-', '-', ' - ', ':', '–'])}${between(random, 0, a + 3)}`;
}
