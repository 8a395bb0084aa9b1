/**
 * The kinds of tokens, which are counted and priced apart: none includes another. A further kind is a line here, its
 * count in the usage of providers (`libs/calls/hosted/<style>/usage.ts`) and its names in dialects. `field` is its name
 * in the interface and the catalog; `partOf`, what the caller sent or what the model made, has the price that is the
 * default of its other parts.
 */
const TOKEN_KINDS = {
  input: { field: 'input', partOf: 'input' },
  /** Includes the tokens of thinking. */
  output: { field: 'output', partOf: 'output' },
  cacheRead: { field: 'cache_read', partOf: 'input' },
  cacheWrite: { field: 'cache_write', partOf: 'input' },
} as const satisfies Record<string, { readonly field: string; readonly partOf: 'input' | 'output' }>;

/** The kinds of all calls on the log. A call from before a further kind has neither count nor price of it. */
type FirstKind = 'input' | 'output' | 'cacheRead' | 'cacheWrite';
type LaterKind = Exclude<TokenKind, FirstKind>;

type TokenKind = keyof typeof TOKEN_KINDS;
type Field = (typeof TOKEN_KINDS)[TokenKind]['field'];
type Part = (typeof TOKEN_KINDS)[TokenKind]['partOf'];

export type TokenCounts = Readonly<Record<`${TokenKind}Tokens`, number>>;
export type RecordedCounts = Readonly<Record<`${FirstKind}Tokens`, number>> &
  Readonly<Partial<Record<`${LaterKind}Tokens`, number>>>;
export type TokenCountFields = Readonly<Record<`${Field}_tokens`, number>>;
/** Picodollars a token. Decimal strings of whole numbers, as all money. */
export type TokenPrices = Readonly<Record<FirstKind, string>> & Readonly<Partial<Record<LaterKind, string>>>;
export type TokenPriceFields = Readonly<Record<Field, string>>;
/** US dollars for a million tokens. */
export type CatalogPrices = Readonly<Record<`${Field}_price_per_million`, number>>;
/** Prices that the catalog may leave out, or give as a multiple of the price of input or output. */
export type DerivedPrice = Exclude<keyof CatalogPrices, `${Part}_price_per_million`>;
export type PriceMultipliers = { readonly [Name in Field as `${Name}_multiplier`]?: number };

/** Each kind with its names. */
export const TOKENS = (Object.keys(TOKEN_KINDS) as TokenKind[]).map((kind) => {
  const { field, partOf } = TOKEN_KINDS[kind];
  return {
    ...{ kind, field, partOf },
    count: `${kind}Tokens`,
    countField: `${field}_tokens`,
    price: `${field}_price_per_million`,
    multiplier: `${field}_multiplier`,
  } as const;
});
type Tokens = (typeof TOKENS)[number];

/** An object with a member for each kind. @param key which of the kind's names it has */
export function ofEachKind<Key extends 'kind' | 'field' | 'count' | 'countField' | 'price', Value>(
  key: Key,
  value: (tokens: Tokens) => Value,
): Readonly<Record<Tokens[Key], Value>> {
  const made: Partial<Record<Tokens[Key], Value>> = {};
  for (const tokens of TOKENS) made[tokens[key]] = value(tokens);
  return made as Record<Tokens[Key], Value>;
}

export const tokenCounts = (counts: Partial<TokenCounts>): TokenCounts =>
  ofEachKind('count', ({ count }) => counts[count] ?? 0);

export const tokenFields = (counts: Partial<TokenCounts>): TokenCountFields =>
  ofEachKind('countField', ({ count }) => counts[count] ?? 0);

export const countsInFields = (fields: { readonly [Name in keyof TokenCountFields]?: number | null }): TokenCounts =>
  ofEachKind('count', ({ countField }) => fields[countField] ?? 0);

export const priceFields = (prices: Partial<TokenPrices>): TokenPriceFields =>
  ofEachKind('field', ({ kind }) => prices[kind] ?? '0');

export const addTokens = (before: Partial<TokenCounts>, more: Partial<TokenCounts>): TokenCounts =>
  ofEachKind('count', ({ count }) => (before[count] ?? 0) + (more[count] ?? 0));

/** @param part default: input and output */
export function allTokens(counts: Partial<TokenCounts>, part?: 'input' | 'output'): number {
  let sum = 0;
  for (const { count, partOf } of TOKENS) if (part === undefined || partOf === part) sum += counts[count] ?? 0;
  return sum;
}
