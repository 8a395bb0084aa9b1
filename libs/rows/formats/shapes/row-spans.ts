import type { Json, JsonObject } from '#domain/json.js';
import { CodePoints } from '#domain/code-points.js';
import { flatSpans } from '../rows/flat-spans.js';
import { resolveSpans, type ResolvedSpan } from '../rows/spans.js';
import type { LeaveOut } from './shape.js';

/** The text of a row and its entities in text order, in UTF-16; null entities: the row is not labelled for them. */
interface RowSpans {
  readonly text: string;
  readonly spans: readonly ResolvedSpan[] | null;
}

/** @returns null for a row without a text */
export function rowSpans({ text, entities }: JsonObject): RowSpans | null {
  if (typeof text !== 'string') return null;
  if (!Array.isArray(entities)) return { text, spans: null };
  const spans = resolveSpans(text, entities as readonly Json[]);
  return { text, spans: spans.toSorted((a, b) => a.start - b.start || a.end - b.end) };
}

/** Spans without overlaps, for tools that give each token one tag. */
export function withoutOverlaps({ text, spans }: RowSpans, leaveOut: LeaveOut): readonly ResolvedSpan[] {
  const { kept, overlapping, blank } = flatSpans(text, spans ?? []);
  if (overlapping.length > 0) leaveOut('entities that overlap longer ones', overlapping.length);
  if (blank.length > 0) leaveOut('entities of blanks', blank.length);
  return kept;
}

/** A span as `[start, end]` in code points, as Python counts. */
export function inCodePoints(text: string, spans: readonly ResolvedSpan[]): readonly (readonly [number, number])[] {
  const points = new CodePoints(text);
  // Spans of valid rows begin and end between code points.
  return spans.map(({ start, end }) => [points.pointAt(start) ?? start, points.pointAt(end) ?? end]);
}

/** The class labels of a row; null: it is not labelled for them. */
export function classesOf({ label, labels }: JsonObject): readonly string[] | null {
  if (typeof label === 'string') return [label];
  return Array.isArray(labels) ? (labels as readonly string[]) : null;
}
