import type { CSSProperties, ReactElement } from 'react';
import { coloursOf, type LabelColours } from './label-colours.js';
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

/** On the tint of its shortest span, with a line below for each. */
export function drawnUnder(covering: readonly Span[]): CSSProperties {
  const [first] = [...covering].sort((a, b) => a.end - a.start - (b.end - b.start));
  if (!first) return {};
  return {
    backgroundColor: coloursOf(first.label).tint,
    backgroundImage: covering.map(({ label }) => lineOf(coloursOf(label))).join(', '),
    backgroundSize: '100% 2px',
    backgroundRepeat: 'no-repeat',
    backgroundPosition: covering.map((_, line) => `0 calc(100% - ${3 * line}px)`).join(', '),
  };
}

const lineOf = ({ solid, isDashed }: LabelColours): string =>
  isDashed
    ? `repeating-linear-gradient(90deg, ${solid} 0 4px, transparent 4px 7px)`
    : `linear-gradient(${solid}, ${solid})`;

interface SpanTextProps {
  readonly text: string;
  readonly spans: readonly Span[];
  /** In a list: in one line, where the labels are told by their colours, on hover, and to screen readers. */
  readonly isLine?: boolean;
}

/** A text with its spans drawn in it. Where spans overlap, each stretch of text names all of its labels. */
export const SpanText = ({ text, spans, isLine = false }: SpanTextProps): ReactElement => (
  <p dir="auto" className={isLine ? 'text line' : 'text'}>
    {piecesOf(text, spans).map(({ start, end, covering }) => {
      const part = text.slice(start, end);
      if (covering.length === 0) return part;
      return (
        <mark key={start} className="mark" style={drawnUnder(covering)} title={covering.map(titleOf).join(', ')}>
          {part}
          {covering
            .filter((span) => span.end === end)
            .map((span) => (
              <bdi
                key={`${span.label} ${span.start}`}
                className={isLine ? 'sr-only' : ''}
                style={{ color: coloursOf(span.label).ink }}
              >
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
