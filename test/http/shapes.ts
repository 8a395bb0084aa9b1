/** A body: `others`, and in one field (none: in place of the body) a value of the kind, as large as the bounds let it be. */
export interface Shape {
  readonly others: object;
  readonly field: string | null;
  readonly kind: keyof typeof KINDS;
  readonly bytes: number;
  readonly values: number;
  readonly numbersPerValue?: number;
  /** The field, and what stands there before and behind the value. */
  readonly wrap?: readonly [field: string, before: string, behind: string];
}

/** Approximate bytes of one text. */
const textOf = (piece: string) => (bytes: number) => `"${piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))}"`;
/** A list of the most pieces that the bounds let through. */
const listOf = (piece: (index: number) => string, values: number, each: number, bytes: number): string => {
  const pieces: string[] = [];
  for (let index = 0, size = 2; index < Math.floor((values - 2) / each); index += 1) {
    const one = piece(index);
    if ((size += one.length + 1) > bytes) break;
    pieces.push(one);
  }
  return `[${pieces.join()}]`;
};
const keys = (prefix: string, count: number) =>
  `{${Array.from({ length: count }, (_, key) => `"${prefix}${key}":1`).join()}}`;

/** JSON texts by what there is much of. */
export const KINDS = {
  keys: (bytes, values) => keys('key', Math.min(2_000, values - 10, Math.floor(bytes / 12))),
  objects: (bytes, values) => listOf((index) => keys(`k${index}_`, 100), values, 101, bytes),
  numbered: (bytes, values) => listOf((index) => `{"${index * 7_919}":{"${index}":[]}}`, values, 5, bytes),
  empties: (bytes, values) => listOf(() => '[]', values, 2, bytes),
  numbers: (bytes, values, perValue) => listOf(() => '1', values, 1 / perValue, bytes),
  fractions: (bytes, values, perValue) =>
    listOf((index) => `0.${index}234567891234567e-300`, values, 1 / perValue, bytes),
  texts: (bytes, values) => listOf((index) => `"t${index}"`, values, 1, bytes),
  messages: (bytes, values) => listOf(() => '{"role":"user","content":[{"type":"text","text":"x"}]}', values, 6, bytes),
  deep: (bytes, values) => listOf(() => `${'[{"a":'.repeat(30)}1${'}]'.repeat(30)}`, values, 61, bytes),
  chat: (bytes) => `[{"role":"user","content":"${'Maria \\n'.repeat(Math.floor((bytes - 40) / 8))}"}]`,
  list: (bytes) => `["${'Maria \\n'.repeat(Math.floor((bytes - 40) / 8))}"]`,
  plain: textOf('Maria flew to Lisbon. '),
  dots: textOf('.'),
  lines: textOf('\\n'),
  quotes: textOf('\\"'),
  escapes: textOf('\\u4e2d'),
  emoji: textOf('💥'),
  image: (bytes) => `"data:image/png;base64,${'iVBORw0KGgo+'.repeat(Math.floor((bytes - 40) / 12))}"`,
  digits: (bytes) => '9'.repeat(bytes),
  unfinished: (bytes) => `"${'x'.repeat(bytes)}`,
} as const satisfies Record<string, (bytes: number, values: number, numbersPerValue: number) => string>;

export const LARGE_TEXTS = [
  'chat',
  'list',
  'plain',
  'dots',
  'lines',
  'quotes',
  'escapes',
  'emoji',
  'image',
  'digits',
  'unfinished',
] as const;

export function bodyOf({
  others,
  field,
  kind,
  bytes,
  values,
  numbersPerValue = 1,
  wrap = ['', '', ''],
}: Shape): string {
  const rest = JSON.stringify(others).slice(1, -1);
  const value = KINDS[kind](bytes - rest.length - 60, values - 40, numbersPerValue);
  if (field === null) return value;
  const [, before, behind] = wrap;
  return `{${rest}${rest === '' ? '' : ','}${JSON.stringify(field)}:${before}${value}${behind}}`;
}
