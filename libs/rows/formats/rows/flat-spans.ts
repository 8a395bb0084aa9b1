import type { ResolvedSpan } from './spans.js';

interface FlatSpans {
  /** In order, without the blanks at their ends; none overlaps another. */
  readonly kept: readonly ResolvedSpan[];
  /** Spans left out because they overlap a longer one. */
  readonly overlapping: readonly ResolvedSpan[];
  /** Spans left out because they contain only white space, or lie outside the text. */
  readonly blank: readonly ResolvedSpan[];
}

/** The spans that a model can learn as one tag for each token. Of overlapping spans the longest stays (ties: the earlier). */
export function flatSpans(text: string, spans: readonly ResolvedSpan[]): FlatSpans {
  const blank: ResolvedSpan[] = [];
  const trimmed: ResolvedSpan[] = [];
  for (const span of spans) {
    const { start, end, label } = span;
    const inner = text.slice(Math.max(0, start), end);
    const from = Math.max(0, start) + inner.length - inner.trimStart().length;
    const to = from + inner.trim().length;
    if (start < 0 || end > text.length || from >= to) blank.push(span);
    else trimmed.push({ start: from, end: to, label });
  }
  trimmed.sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start);
  const kept: ResolvedSpan[] = [];
  const overlapping: ResolvedSpan[] = [];
  for (const span of trimmed) {
    const at = placeOf(span.start, kept);
    if ((kept[at - 1]?.end ?? 0) > span.start || (kept[at]?.start ?? Infinity) < span.end) overlapping.push(span);
    else kept.splice(at, 0, span);
  }
  return { kept, overlapping, blank };
}

/** Number of spans that start before or at an offset. */
function placeOf(start: number, spans: readonly ResolvedSpan[]): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.start <= start) low = middle + 1;
    else high = middle;
  }
  return low;
}
