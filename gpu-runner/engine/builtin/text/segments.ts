import { tokenize, type Token } from './tokens.js';

/** Longest run of tokens that is tagged as one chain. */
export const maximumSegmentLength = 300;

/** A stretch that must not be cut (a gold span). UTF-16 offsets, end exclusive. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts a text's tokens into the runs that are tagged by themselves: its lines, and lines of more than 300 tokens at sentence
 * ends (at the limit where there is none). Offsets stay those of the whole text; blank lines give nothing.
 * @param whole stretches that stay in one segment even across a line break; such a segment may be longer
 */
export function segmentTokens(text: string, whole: readonly Stretch[] = []): Token[][] {
  return splitAtLines(text, tokenize(text), whole).flatMap((line) => splitLong(line, whole));
}

function splitAtLines(text: string, tokens: readonly Token[], whole: readonly Stretch[]): Token[][] {
  if (!/[\n\r\u2028\u2029]/.test(text)) return tokens.length > 0 ? [[...tokens]] : [];
  const lines: Token[][] = [];
  let line: Token[] = [];
  for (const token of tokens) {
    const last = line.at(-1);
    if (last && /[\n\r\u2028\u2029]/.test(text.slice(last.end, token.start)) && mayCut(token.start, whole)) {
      lines.push(line);
      line = [];
    }
    line.push(token);
  }
  if (line.length > 0) lines.push(line);
  return lines;
}

function splitLong(line: Token[], whole: readonly Stretch[]): Token[][] {
  const parts: Token[][] = [];
  let from = 0;
  while (line.length - from > maximumSegmentLength) {
    const cut = cutPoint(line, from, whole);
    if (cut === line.length) break;
    parts.push(line.slice(from, cut));
    from = cut;
  }
  parts.push(from === 0 ? line : line.slice(from));
  return parts;
}

/** The last sentence start within the limit; else the last place allowed within it; else the first allowed beyond. */
function cutPoint(line: readonly Token[], from: number, whole: readonly Stretch[]): number {
  const limit = from + maximumSegmentLength;
  let fallback = -1;
  for (let i = limit; i > from; i--) {
    if (!mayCut(line[i]!.start, whole)) continue;
    if (/^[.!?。！？]+$/u.test(line[i - 1]!.text)) return i;
    if (fallback < 0) fallback = i;
  }
  if (fallback > 0) return fallback;
  let beyond = limit + 1;
  while (beyond < line.length && !mayCut(line[beyond]!.start, whole)) beyond++;
  return beyond;
}

function mayCut(at: number, whole: readonly Stretch[]): boolean {
  return whole.every(({ start, end }) => at <= start || at >= end);
}
