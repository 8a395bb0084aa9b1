import { flatSpans } from '#rows/formats/rows/flat-spans.js';
import type { Example, Span } from '../../../engine.js';

/** Layers of spans that are learned. Text that people mark is rarely nested more deeply. */
const MAX_LAYERS = 3;
/** A layer is learned from as many nested spans as this; fewer are more often slips of the hand than a habit. */
const MIN_NESTED_SPANS = 3;

interface Layers {
  /** Rows for one flat tagger each: the first has of overlapping spans the longest. */
  readonly layers: readonly (readonly Example[])[];
  /** Spans that overlap one of the first layer and are in a later one. */
  readonly nested: number;
  /** Spans that are in no layer. */
  readonly leftOut: number;
}

/**
 * Divides overlapping spans among layers without overlaps. Each layer takes, of the spans that the one before left out,
 * those free of overlaps with that layer's own: so a later layer learns every innermost span, nested or alone, from all
 * rows.
 * @param count of the layers; default: as many as the nested spans need
 */
export function layersOf(rows: readonly Example[], count?: number): Layers {
  const layers: (readonly Example[])[] = [];
  let states = rows.map(({ text, entities = [] }) => flat(text, entities, []));
  let nested = 0;
  for (;;) {
    layers.push(rows.map((row, index) => (row.entities ? { ...row, entities: states[index]!.spans } : row)));
    const left = states.reduce((sum, { rest }) => sum + rest.length, 0);
    const isLast =
      count === undefined ? layers.length === MAX_LAYERS || left < MIN_NESTED_SPANS : layers.length >= count;
    if (isLast) return { layers, nested, leftOut: left };
    states = states.map(({ spans, rest }, index) => flat(rows[index]!.text, rest, spans));
    nested += left - states.reduce((sum, { rest }) => sum + rest.length, 0);
  }
}

interface FlatRow {
  readonly spans: readonly Span[];
  /** Preferred spans that overlap other preferred ones. */
  readonly rest: readonly Span[];
}

/** @param others each stays that overlaps no preferred span */
function flat(text: string, preferred: readonly Span[], others: readonly Span[]): FlatRow {
  const { kept, overlapping, blank } = flatSpans(text, preferred);
  const taken = new Set(kept.map(keyOf));
  const rest = new Map(overlapping.filter((span) => !taken.has(keyOf(span))).map((span) => [keyOf(span), span]));
  const beside = flatSpans(text, others).kept.filter((other) => !overlapsAny(other, kept));
  // Blank spans take no room; the first layer's trainer reports them.
  return { spans: [...kept, ...beside, ...blank], rest: [...rest.values()] };
}

const keyOf = ({ start, end, label }: Span): string => `${start} ${end} ${label}`;

/** @param spans sorted, without overlaps */
export function overlapsAny({ start, end }: Stretch, spans: readonly Stretch[]): boolean {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.end <= start) low = middle + 1;
    else high = middle;
  }
  return low < spans.length && spans[low]!.start < end;
}

type Stretch = Pick<Span, 'start' | 'end'>;
