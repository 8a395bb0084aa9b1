import { constants } from './clusters.js';
import { isToken } from './holes.js';
import { valuesOf } from './matcher.js';
import { covered, fromDelimiter, isDelimited, upToDelimiter, type ShingledText } from './shingles.js';

/** Share of the requests in which a chunk must be found, once and in its place. */
const FOUND = 0.9;
/** The request whose words are the chunks, by its constant words: the first lack some, the last repeat some by chance. */
const MODEL = 0.1;
/** A chunk between two holes without a delimiter is a phrase of the language unless it is so long. */
const MIN_PHRASE = 24;

/**
 * The constant chunks of each part of some requests: what lies between them is a hole.
 * @param texts of the parts, as long as `shingled`
 */
export function chunksOf(
  texts: readonly (readonly string[])[],
  shingled: readonly ShingledText[],
): readonly (readonly string[])[] {
  const constant = constants(shingled);
  const isConstant = (number: number) => constant.has(number);
  return texts[0]!.map((_, part) => {
    const own = texts.map((parts) => parts[part]!);
    if (own.every((text) => text === own[0])) return [own[0]!];
    const counts = shingled.map((each) => covered(each, part, isConstant).filter(Boolean).length);
    const model = counts.indexOf([...counts].sort((one, other) => one - other)[Math.floor(MODEL * counts.length)]!);
    const runs = runsOf(shingled[model]!.parts[part]!, covered(shingled[model]!, part, isConstant));
    return split(widened(kept(runs, own), own), own);
  });
}

/** Chunks that are constant, the first and the last at the ends of the part: empty if a hole is there. */
function runsOf(tokens: readonly string[], marks: readonly boolean[]): readonly string[] {
  const runs: string[] = [];
  const last = tokens.length - 1;
  for (let at = 0; at <= last; at += 1) {
    const isNew = at === 0 || (marks[at] && !marks[at - 1]);
    if (isNew) runs.push('');
    if (marks[at] && at > 0 && at < last) runs.push(runs.pop()! + tokens[at]!);
  }
  if (!marks[last] || runs.length === 1) runs.push('');
  return runs;
}

/** Chunks without those that are elsewhere, or several times, in too many texts. */
function kept(chunks: readonly string[], texts: readonly string[]): readonly string[] {
  const last = chunks.length - 1;
  const steady = chunks.filter((chunk, at) => {
    if (at === 0 || at === last) return true;
    if (chunk.trim() === '' || (!isDelimited(chunk) && chunk.length < MIN_PHRASE)) return false;
    return (
      shareOf(texts, (text) => text.indexOf(chunk) >= 0 && text.indexOf(chunk) === text.lastIndexOf(chunk)) >= FOUND
    );
  });
  let left = atEnds(steady, texts);
  while (left.length > 2 && shareOf(texts, (text) => matches(left, text)) < FOUND) {
    const lengths = left.map((chunk, at) => (at === 0 || at === left.length - 1 ? Infinity : chunk.length));
    const shortest = lengths.indexOf(Math.min(...lengths));
    left = left.filter((_, at) => at !== shortest);
  }
  return left;
}

/** Chunks of which the first and the last are those of most texts: the words beside them may be constant elsewhere. */
function atEnds(chunks: readonly string[], texts: readonly string[]): readonly string[] {
  const [first, last] = [chunks[0]!, chunks.at(-1)!];
  const longest = (length: number, fits: (size: number, text: string) => boolean) => {
    let size = length;
    while (size > 0 && shareOf(texts, (text) => fits(size, text)) < FOUND) size -= 1;
    return size;
  };
  const before = longest(first.length, (size, text) => text.startsWith(first.slice(0, size)));
  const after = longest(last.length, (size, text) => text.endsWith(last.slice(last.length - size)));
  const [start, end] = [first.slice(0, before), last.slice(last.length - after)];
  return [
    before === first.length ? first : upToDelimiter(start),
    ...chunks.slice(1, -1),
    after === last.length ? last : fromDelimiter(end),
  ];
}

const holesOf = (chunks: readonly string[]) => chunks.slice(1).map(() => ({ kind: 'left-out', maxLength: 0 }) as const);
const matches = (chunks: readonly string[], text: string) =>
  valuesOf({ chunks, holes: holesOf(chunks) }, text) !== null;
const shareOf = (texts: readonly string[], holds: (text: string) => boolean): number =>
  texts.filter(holds).length / texts.length;

/** Chunks with what all values of a hole begin and end with, up to a delimiter. */
function widened(chunks: readonly string[], texts: readonly string[]): readonly string[] {
  const values = texts
    .map((text) => valuesOf({ chunks, holes: holesOf(chunks) }, text))
    .filter((each) => each !== null);
  if (values.length === 0) return chunks;
  const wider = [...chunks];
  for (let hole = 0; hole < chunks.length - 1; hole += 1) {
    const own = values.map((each) => each[hole]!);
    if (isAmidNumber(wider[hole]!, own)) {
      wider[hole] = wider[hole]!.replace(NUMBER_AT_END, '');
      continue;
    }
    const before = upToDelimiter(own.reduce(commonPrefix));
    const after = fromDelimiter(own.map((value) => value.slice(before.length)).reduce(commonSuffix));
    wider[hole] += before;
    wider[hole + 1] = after + wider[hole + 1]!;
  }
  return wider;
}

/** Marks that end a date or an id: too short for shingles. */
const MARKS = [/[^\p{L}\p{N}\s]\s{2,4}/gu, /[^\p{L}\p{N}\s]{2,4}|[^\p{L}\p{N}\s]\s|\n/gu];
const MAX_TOKEN = 60;

/** Chunks with the marks between a date or an id and the text behind it: `2026-05-01">text`. */
function split(chunks: readonly string[], texts: readonly string[]): readonly string[] {
  const values = texts
    .map((text) => valuesOf({ chunks, holes: holesOf(chunks) }, text))
    .filter((each) => each !== null);
  return chunks.flatMap((chunk, hole) => {
    const own = hole === chunks.length - 1 ? [] : values.map((each) => each[hole]!);
    const marks = new Set(MARKS.flatMap((mark) => own[0]?.slice(0, MAX_TOKEN).match(mark) ?? []));
    const ends = (mark: string) => (value: string) => {
      const at = value.indexOf(mark);
      return at > 0 && at < value.length - mark.length && isToken(value.slice(0, at));
    };
    const mark = own.every((value) => isToken(value)) ? undefined : [...marks].find((each) => own.every(ends(each)));
    return mark === undefined ? [chunk] : [chunk, mark];
  });
}

/** A year that all dates have is none of the prompt's words. */
const NUMBER_AT_END = /\p{N}[\p{N}\-./:]*$/u;
const isAmidNumber = (before: string, values: readonly string[]): boolean =>
  NUMBER_AT_END.test(before) && shareOf(values, (value) => /^\p{N}/u.test(value)) >= FOUND;

function commonPrefix(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
}

function commonSuffix(one: string, other: string): string {
  let length = 0;
  while (length < one.length && length < other.length && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return one.slice(one.length - length);
}
