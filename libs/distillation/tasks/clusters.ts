import { frequencies, type ShingledText, type ShingleTable } from './shingles.js';

/** Share of the requests in which a constant shingle is. */
export const CONSTANT = 0.97;
/** A part of the requests that is smaller is no prompt of its own. */
const LEAST = 0.04;
const LEAST_CALLS = 5;
/** Constant characters that a part of the requests must have more than all of them. */
const GAIN = 24;
/** So many need no delimiter: nobody writes them by chance. */
const LONG_GAIN = 60;

/**
 * Groups requests by their constant part: those in which more is constant than in the others are apart, again and again (after Drain, He
 * et al., ICWS 2017, which needs lines of equal lengths).
 */
export function clusters<T extends { readonly shingled: ShingledText }>(
  texts: readonly T[],
  table: ShingleTable,
): readonly (readonly T[])[] {
  const found: (readonly T[])[] = [];
  const left = [texts];
  while (left.length > 0) {
    const group = left.pop()!;
    const inner = innerGroup(group, table);
    if (inner === null) found.push(group);
    else
      left.push(
        group.filter((_, at) => inner.has(at)),
        group.filter((_, at) => !inner.has(at)),
      );
  }
  return found;
}

/** The requests of a group in which most is constant that is not so in all; null if there are none. */
function innerGroup<T extends { readonly shingled: ShingledText }>(
  texts: readonly T[],
  table: ShingleTable,
): ReadonlySet<number> | null {
  const counts = frequencies(texts.map(({ shingled }) => shingled));
  const least = Math.max(LEAST_CALLS, LEAST * texts.length);
  const most = Math.min(CONSTANT * texts.length, texts.length - 1);
  const signatures = new Map<number, { low: number; high: number }>();
  texts.forEach(({ shingled }, at) => {
    const [low, high] = [mixed(at + 1), mixed(at + 0x9e3779b9)];
    for (const number of shingled.distinct) {
      const count = counts.get(number)!;
      if (count < least || count > most) continue;
      const signature = signatures.get(number) ?? { low: 0, high: 0 };
      signatures.set(number, { low: signature.low ^ low, high: signature.high ^ high });
    }
  });
  const groups = new Map<string, { chars: number; count: number; isDelimited: boolean; one: number }>();
  for (const [number, { low, high }] of signatures) {
    const { length, hasDelimiter } = table.all[number]!;
    const key = `${low}/${high}`;
    const group = groups.get(key) ?? { chars: 0, count: counts.get(number)!, isDelimited: false, one: number };
    groups.set(key, { ...group, chars: group.chars + length, isDelimited: group.isDelimited || hasDelimiter });
  }
  const mean = texts.reduce((sum, { shingled }) => sum + lengthOf(shingled), 0) / texts.length;
  const best = [...groups.values()]
    .filter(
      ({ chars, isDelimited }) =>
        (chars >= GAIN && isDelimited) || chars >= Math.max(GAIN, Math.min(mean / 2, LONG_GAIN)),
    )
    .sort((one, other) => other.chars * other.count - one.chars * one.count)[0];
  if (best === undefined) return null;
  return new Set(texts.flatMap(({ shingled }, at) => (shingled.distinct.includes(best.one) ? [at] : [])));
}

const lengthOf = ({ parts }: ShingledText): number =>
  parts.reduce((sum, tokens) => sum + tokens.reduce((length, token) => length + token.length, 0), 0);

/** A number of 32 bits that looks random (the finalizer of MurmurHash3). */
function mixed(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** Share of the constant characters of the larger group that the other has too: in a few requests more is the same by chance. */
export function sharedConstants(
  one: readonly ShingledText[],
  other: readonly ShingledText[],
  table: ShingleTable,
): number {
  const [first, second] = [constants(one), constants(other)];
  const lengthOfAll = (numbers: Iterable<number>) =>
    [...numbers].reduce((sum, number) => sum + table.all[number]!.length, 0);
  const shared = lengthOfAll([...first].filter((number) => second.has(number)));
  return shared / Math.max(1, lengthOfAll(one.length < other.length ? second : first));
}

export const constants = (texts: readonly ShingledText[]): ReadonlySet<number> =>
  new Set([...frequencies(texts)].filter(([, count]) => count >= CONSTANT * texts.length).map(([number]) => number));
