import type { CSSProperties, ReactElement } from 'react';
import { percent } from './values.js';

/** A labelled part of a text. */
export interface Span {
  /** In UTF-16 code units; the end is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly label: string;
  /** 0 to 1. */
  readonly confidence?: number;
}

/** The colour of a label: the same for the same name wherever it is shown. */
function hueOf(label: string): number {
  let hash = 0;
  for (const character of label) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  return (hash * 137) % 360;
}

/** Background of a label; text on it keeps the page's own colour, so that contrast holds in both themes. */
export const labelColour = (label: string): string =>
  `light-dark(oklch(90% 0.07 ${hueOf(label)}), oklch(38% 0.08 ${hueOf(label)}))`;

const lineColour = (label: string): string =>
  `light-dark(oklch(58% 0.14 ${hueOf(label)}), oklch(75% 0.13 ${hueOf(label)}))`;

/** A text cut where spans begin and end, each stretch with the spans over it. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly covering: readonly Span[];
}

/** @param more further places to cut at */
export function piecesOf(text: string, spans: readonly Span[], more: readonly number[] = []): readonly Piece[] {
  const places = [0, text.length, ...more, ...spans.flatMap(({ start, end }) => [start, end])];
  const edges = [...new Set(places)].sort((a, b) => a - b);
  return edges.slice(0, -1).map((start, index) => {
    const end = edges[index + 1]!;
    return { start, end, covering: spans.filter((span) => span.start < end && span.end > start) };
  });
}

/** Filled in the colour of its shortest span; if several overlap, each has a line below. */
export function drawnUnder(covering: readonly Span[]): CSSProperties {
  const [first, ...others] = [...covering].sort((a, b) => a.end - a.start - (b.end - b.start));
  if (!first) return {};
  const lines = others.length === 0 ? [] : covering;
  return {
    backgroundColor: labelColour(first.label),
    backgroundImage: lines.map(({ label }) => `linear-gradient(${lineColour(label)}, ${lineColour(label)})`).join(', '),
    backgroundSize: '100% 2px',
    backgroundRepeat: 'no-repeat',
    backgroundPosition: lines.map((_, line) => `0 calc(100% - ${3 * line}px)`).join(', '),
  };
}

/** A text with its spans drawn in it. Where spans overlap, each stretch of text names all of its labels. */
export const SpanText = ({ text, spans }: { readonly text: string; readonly spans: readonly Span[] }): ReactElement => (
  <p dir="auto" className="whitespace-pre-wrap leading-8">
    {piecesOf(text, spans).map(({ start, end, covering }) => {
      const part = text.slice(start, end);
      if (covering.length === 0) return part;
      return (
        <mark
          key={start}
          className="rounded px-0.5 py-0.5 text-text"
          style={drawnUnder(covering)}
          title={covering.map(titleOf).join(', ')}
        >
          {part}
          {covering
            .filter((span) => span.end === end)
            .map((span) => (
              <bdi key={`${span.label} ${span.start}`} className="ms-1 align-middle text-[11px] font-semibold">
                {span.label}
              </bdi>
            ))}
        </mark>
      );
    })}
  </p>
);

export const titleOf = ({ label, confidence }: Span): string =>
  confidence === undefined ? label : `${label}, confidence ${percent(confidence)}`;
