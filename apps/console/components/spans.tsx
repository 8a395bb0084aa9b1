import type { ReactElement } from 'react';

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
export function hueOf(label: string): number {
  let hash = 0;
  for (const character of label) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  return (hash * 137) % 360;
}

/** Background of a label; text on it keeps the page's own colour, so that contrast holds in both themes. */
export const labelColour = (label: string): string =>
  `light-dark(oklch(90% 0.07 ${hueOf(label)}), oklch(38% 0.08 ${hueOf(label)}))`;

/** A text with its spans drawn in it. Where spans overlap, each stretch of text names all of its labels. */
export function SpanText({ text, spans }: { readonly text: string; readonly spans: readonly Span[] }): ReactElement {
  const edges = [...new Set([0, text.length, ...spans.flatMap(({ start, end }) => [start, end])])].sort(
    (a, b) => a - b,
  );
  return (
    <p className="whitespace-pre-wrap break-words leading-8">
      {edges.slice(0, -1).map((start, index) => {
        const end = edges[index + 1]!;
        const covering = spans.filter((span) => span.start < end && span.end > start);
        const part = text.slice(start, end);
        if (covering.length === 0) return part;
        const ending = covering.filter((span) => span.end === end);
        return (
          <mark
            key={start}
            className="rounded px-0.5 py-0.5 text-text"
            style={{ background: labelColour(covering[0]!.label) }}
            title={covering.map(titleOf).join(', ')}
          >
            {part}
            {ending.map((span) => (
              <span key={span.label} className="ml-1 align-middle text-[11px] font-semibold">
                {span.label}
              </span>
            ))}
          </mark>
        );
      })}
    </p>
  );
}

const titleOf = ({ label, confidence }: Span): string =>
  confidence === undefined ? label : `${label}, confidence ${confidence.toFixed(2)}`;
