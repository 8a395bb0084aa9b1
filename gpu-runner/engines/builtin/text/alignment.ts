import { flatSpans } from '#rows/formats/rows/flat-spans.js';
import type { Span } from '../../engine.js';
import { segmentTokens } from './segments.js';
import type { Token } from '#primitives/text/tokens.js';

/** A gold span in tokens of one segment, end exclusive. */
interface AlignedSpan {
  readonly first: number;
  readonly end: number;
  readonly label: string;
}

interface AlignedSegment {
  readonly tokens: readonly Token[];
  readonly spans: readonly AlignedSpan[];
}

interface AlignedText {
  readonly segments: readonly AlignedSegment[];
  /** Spans left out because they overlap a longer one. */
  readonly flattened: number;
  /** Spans left out because they hold no character of a token, or lie outside the text. */
  readonly empty: number;
  /** Tokens cut in two because a span begins or ends inside them. */
  readonly cutTokens: number;
}

/**
 * Lays gold spans over tokens. Of overlapping spans the longest stays (ties: the earlier). A token that a span cuts is split
 * there, so that every span left is exactly a run of tokens; a span over a line break keeps its lines together.
 */
export function alignSpans(text: string, spans: readonly Span[]): AlignedText {
  const { kept, overlapping, blank } = flatSpans(text, spans);
  let cutTokens = 0;
  const edges = new Set(kept.flatMap(({ start, end }) => [start, end]));
  let before = 0;
  const segments = Array.from(segmentTokens(text, kept), (run) => {
    const tokens = edges.size === 0 ? run : run.flatMap((token) => splitToken(token, edges));
    cutTokens += tokens.length - run.length;
    const first = before;
    while (before < kept.length && kept[before]!.start < tokens.at(-1)!.end) before++;
    return { tokens, spans: locate(tokens, kept.slice(first, before)) };
  });
  return { segments, flattened: overlapping.length, empty: blank.length, cutTokens };
}

function splitToken(token: Token, edges: ReadonlySet<number>): Token[] {
  const cuts: number[] = [];
  for (let at = token.start + 1; at < token.end; at++) if (edges.has(at)) cuts.push(at);
  if (cuts.length === 0) return [token];
  return [token.start, ...cuts].map((start, k) => {
    const end = cuts[k] ?? token.end;
    return { text: token.text.slice(start - token.start, end - token.start), start, end };
  });
}

function locate(tokens: readonly Token[], spans: readonly Span[]): AlignedSpan[] {
  const located: AlignedSpan[] = [];
  let i = 0;
  for (const { start, end, label } of spans) {
    while (i < tokens.length && tokens[i]!.start < start) i++;
    const first = i;
    while (i < tokens.length && tokens[i]!.end <= end) i++;
    if (i > first) located.push({ first, end: i, label });
  }
  return located;
}
