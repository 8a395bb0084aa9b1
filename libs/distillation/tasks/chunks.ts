import { constants } from './clusters.js';
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
    return widened(kept(runs, own), own);
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
  let left = steady;
  while (left.length > 2 && shareOf(texts, (text) => matches(left, text)) < FOUND) {
    const lengths = left.map((chunk, at) => (at === 0 || at === left.length - 1 ? Infinity : chunk.length));
    const shortest = lengths.indexOf(Math.min(...lengths));
    left = left.filter((_, at) => at !== shortest);
  }
  return left;
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
