import { tokensOf, type Token } from '#primitives/text/tokens.js';
import { closes, endsSentence } from './sentence-ends.js';
import { wrappedLines } from './wrapped-lines.js';

/** Longest run of tokens that is tagged as one chain. */
export const MAX_SEGMENT_LENGTH = 300;

/** A stretch that must not be cut (a gold span). UTF-16 offsets, end exclusive. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts a text's tokens into runs that are tagged separately: its lines, wrapped ones joined, and those of more than 300
 * tokens at sentence ends (at the limit if there is none). Offsets refer to the whole text; blank lines are skipped.
 * The text is read lazily.
 * @param stretches that stay in one segment even across a line break; such a segment may be longer
 */
export function* segmentTokens(text: string, stretches: readonly Stretch[] = []): Generator<Token[], void, undefined> {
  const whole = disjoint(stretches);
  const goesOn = wrappedLines(text);
  let line: Token[] = [];
  for (const token of tokensOf(text)) {
    const last = line.at(-1);
    if (
      last &&
      /[\n\r\u2028\u2029]/.test(text.slice(last.end, token.start)) &&
      !goesOn(last, token) &&
      mayCut(token.start, whole)
    ) {
      yield* splitLong(text, line, whole);
      line = [];
    }
    line.push(token);
    // If every place may be cut, the rest of the line does not matter.
    if (whole.length > 0 || line.length <= MAX_SEGMENT_LENGTH) continue;
    const cut = cutPoint(text, line, 0, whole);
    yield line.slice(0, cut);
    line = line.slice(cut);
  }
  if (line.length > 0) yield* splitLong(text, line, whole);
}

function* splitLong(text: string, line: Token[], whole: readonly Stretch[]): Generator<Token[], void, undefined> {
  let from = 0;
  while (line.length - from > MAX_SEGMENT_LENGTH) {
    const cut = cutPoint(text, line, from, whole);
    if (cut === line.length) break;
    yield line.slice(from, cut);
    from = cut;
  }
  yield from === 0 ? line : line.slice(from);
}

/** The last sentence start within the limit; else the last place allowed within it; else the first allowed beyond. */
function cutPoint(text: string, line: readonly Token[], from: number, whole: readonly Stretch[]): number {
  const limit = from + MAX_SEGMENT_LENGTH;
  let fallback = -1;
  for (let i = limit; i > from; i--) {
    if (!mayCut(line[i]!.start, whole)) continue;
    if (endsSentence(text, line[i - 1]!) && !closes(line[i]!)) return i;
    if (fallback < 0) fallback = i;
  }
  if (fallback > 0) return fallback;
  let beyond = limit + 1;
  while (beyond < line.length && !mayCut(line[beyond]!.start, whole)) beyond++;
  return beyond;
}

function mayCut(at: number, whole: readonly Stretch[]): boolean {
  let [low, high] = [0, whole.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (whole[middle]!.end <= at) low = middle + 1;
    else high = middle;
  }
  return low === whole.length || at <= whole[low]!.start;
}

/** In order, with overlapping ones merged: no place inside any of them may be cut. */
function disjoint(stretches: readonly Stretch[]): readonly Stretch[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of stretches.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
