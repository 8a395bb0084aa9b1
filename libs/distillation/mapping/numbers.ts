const WORDS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
  'twenty',
];
const SMALL: ReadonlyMap<string, number> = new Map([
  ...WORDS.map((word, value) => [word, value] as const),
  ['a', 1],
  ['an', 1],
  ['a dozen', 12],
]);
/** Numbers as texts have them, with separators; the signs of currencies stay outside. */
const IN_TEXT = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:-?\d{1,3}(?:[,.\u00a0 ']\d{3})+(?:[.,]\d{1,2})?(?!\d)|-?\d+(?:[.,]\d+)?|a dozen|${WORDS.join('|')}|an?)(?![\p{N}])`,
  'giu',
);

/** The stretches of a text that may be numbers. */
export const numbersIn = (text: string): readonly string[] => text.match(IN_TEXT) ?? [];

/** Reads a number of a text: `1,299.00`, `1.299,00`, `1 299`, `three`. @returns null for what is none */
export function readNumber(text: string): number | null {
  const word = SMALL.get(text.toLowerCase().trim());
  if (word !== undefined) return word;
  const digits = text.replace(/[^\d.,-]/g, '');
  if (!/\d/.test(digits)) return null;
  const decimal = /[.,](\d+)$/.exec(digits);
  const marks = digits.replace(/[^.,]/g, '');
  // A single mark before three digits separates thousands, unless it is `0.125`.
  const isThousands = decimal !== null && decimal[1]!.length === 3 && new Set(marks).size === 1 && !/^-?0/.test(digits);
  const whole = decimal === null || isThousands ? digits : digits.slice(0, decimal.index);
  const value = Number(`${whole.replace(/[.,]/g, '')}${decimal !== null && !isThousands ? `.${decimal[1]}` : ''}`);
  return Number.isFinite(value) ? value : null;
}

/** How a number is written: with so many decimals, or as short as it can be (`short`), at least one decimal (`float`). */
export type NumberForm = 'short' | 'float' | `fixed-${number}`;
export const NUMBER_FORMS: readonly NumberForm[] = ['short', 'float', 'fixed-2', 'fixed-1', 'fixed-3', 'fixed-0'];

export function writeNumber(value: number, form: NumberForm): string {
  if (form === 'short') return String(value);
  if (form === 'float') return Number.isInteger(value) ? value.toFixed(1) : String(value);
  return value.toFixed(Number(form.slice('fixed-'.length)));
}
