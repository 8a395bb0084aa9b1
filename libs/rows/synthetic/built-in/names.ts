/**
 * Names as requests write them, in one form: lower case, words apart, no accents, the last word in the singular. So
 * `deliveryCity`, `DELIVERY_CITY` and "delivery cities" are one name.
 */
export const nameWords = (name: string): readonly string[] =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}+#&]+/u)
    .filter((word) => word !== '');

export function normalised(name: string): string {
  const words = nameWords(name);
  return [...words.slice(0, -1), singular(words.at(-1) ?? '')].join(' ');
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && word.endsWith('s') && !/(?:ss|us|is|news)$/.test(word) ? word.slice(0, -1) : word;
}

/** A dictionary whose keys list several names of one thing: `price; cost; fee`. */
export function dictionary(lists: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(lists).flatMap(([thing, names]) =>
      [thing, ...names.split(';')].map((name) => [normalised(name), thing] as const),
    ),
  );
}

/** Looks up an own property only: `constructor` is in no table. */
export const entryOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
