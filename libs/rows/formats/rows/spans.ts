import type { Json, JsonObject } from '#domain/json.js';
import { CodePoints } from '#domain/code-points.js';
import { edgesOf } from './edges.js';
import { holds, Search } from './search.js';

/** A labelled stretch of a text in UTF-16 code units (JavaScript string indices), end exclusive. */
export interface ResolvedSpan {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/** An index in `entities`, and the problem there. */
interface SpanProblem {
  readonly index: number;
  /** `label`, `start`, ...; empty when it is the entry as a whole. */
  readonly field: string;
  readonly reason: string;
}

/** An entry of `entities` does not fit the text. */
export class SpanError extends Error {
  override readonly name = 'SpanError';
  constructor(readonly problem: SpanProblem) {
    super(`entities[${problem.index}]: ${problem.reason}`);
  }
}

/**
 * Finds labelled spans in a text.
 * @param entities `[span, label]` pairs, or `{text|span, label, start?, end?}` with offsets in Unicode code points. A
 * given `start` takes precedence. A pair means the first occurrence that no entry before it has taken, left to right;
 * one that crosses no other span is preferred, so that in "New York, York" a York beside New York is the second word.
 * @returns one span for each entry, in their order, without blanks at its edges unless it is all blank
 * @throws SpanError at the first entry that does not fit
 */
export function resolveSpans(text: string, entities: readonly Json[]): ResolvedSpan[] {
  const { spans, problems } = locateSpans(text, entities);
  if (problems[0]) throw new SpanError(problems[0]);
  return spans;
}

/** As `resolveSpans`, but collects every problem instead of throwing the first; invalid entries yield no span. */
export function locateSpans(
  text: string,
  entities: readonly Json[],
): { readonly spans: ResolvedSpan[]; readonly problems: SpanProblem[] } {
  const problems: SpanProblem[] = [];
  const entries = entities.map((entity, index) => entryOf(entity, index, problems));
  const points = new CodePoints(text);
  const found: (ResolvedSpan | null)[] = entries.map((entry, index) =>
    entry?.start === undefined ? null : placeAtStart(text, points, entry, index, problems),
  );
  const taken = new TakenStretches(text);
  for (const span of found) if (span !== null) taken.add(span);
  for (const [index, entry] of entries.entries()) {
    if (entry === null || entry.start !== undefined) continue;
    const span = taken.firstUnused(entry);
    if (span === null) problems.push({ index, field: '', reason: missing(taken, entry) });
    else taken.add(span);
    found[index] = span;
  }
  return { spans: found.flatMap((span) => (span === null ? [] : trimmed(text, span))), problems };
}

/** Rows that were stored before their spans were trimmed have blanks at the edges of some. */
function trimmed(text: string, { start, end, label }: ResolvedSpan): ResolvedSpan {
  const { before, after } = edgesOf(text.slice(start, end));
  return { start: before === end - start ? start : start + before, end: end - after, label };
}

/** Up to this many entries, comparing all pairs is fastest. */
const FEW = 16;

/**
 * Whether the entries are few distinct pairs that occur in the text. Each then has a place, so `locateSpans` is not
 * needed. True for most rows.
 */
export function areCopied(text: string, entities: readonly Json[]): entities is readonly (readonly [string, string])[] {
  if (entities.length > FEW) return false;
  for (let index = 0; index < entities.length; index += 1) {
    const entity = entities[index];
    if (!Array.isArray(entity) || entity.length !== 2) return false;
    const [span, label] = entity as readonly Json[];
    if (typeof span !== 'string' || typeof label !== 'string' || span === '' || label.trim() === '') return false;
    for (let before = 0; before < index; before += 1) {
      const other = entities[before] as readonly Json[];
      if (other[0] === span && other[1] === label) return false;
    }
    if (!holds(text, span)) return false;
  }
  return true;
}

interface Entry {
  readonly span: string;
  readonly label: string;
  /** Code points. */
  readonly start?: number;
  readonly end?: number;
}

function entryOf(entity: Json, index: number, problems: SpanProblem[]): Entry | null {
  const refuse = (field: string, reason: string): null => {
    problems.push({ index, field, reason });
    return null;
  };
  const [span, label, start, end] = Array.isArray(entity) ? (entity as readonly Json[]) : partsOf(entity);
  if (Array.isArray(entity) ? entity.length !== 2 : typeof entity !== 'object' || entity === null)
    return refuse('', 'must be [span, label] or {text, label, start?, end?}');
  if (typeof span !== 'string' || span === '') return refuse('text', 'the span must be a string that is not empty');
  if (typeof label !== 'string' || label.trim() === '')
    return refuse('label', 'the label must be a string that is not empty');
  if (start === undefined && end !== undefined) return refuse('end', 'stands without start; give both, or neither');
  for (const [name, value] of Object.entries({ start, end }))
    if (value !== undefined && !(Number.isSafeInteger(value) && Number(value) >= 0))
      return refuse(name, 'must be a whole number of characters (code points) from 0');
  return {
    span,
    label,
    ...(start === undefined ? {} : { start: Number(start) }),
    ...(end === undefined ? {} : { end: Number(end) }),
  };
}

function partsOf(entity: Json): readonly (Json | undefined)[] {
  if (typeof entity !== 'object' || entity === null) return [];
  const { text, span, label, start, end } = entity as JsonObject;
  return [text ?? span, label, start ?? undefined, end ?? undefined];
}

function placeAtStart(
  text: string,
  points: CodePoints,
  entry: Entry,
  index: number,
  problems: SpanProblem[],
): ResolvedSpan | null {
  const start = points.utf16Index(entry.start ?? 0);
  if (start === null || !text.startsWith(entry.span, start)) {
    problems.push({ index, field: 'start', reason: `${quote(entry.span)} does not stand at character ${entry.start}` });
    return null;
  }
  const end = start + entry.span.length;
  const length = new CodePoints(entry.span).length;
  if (entry.end !== undefined && entry.end !== (entry.start ?? 0) + length) {
    const reason = `must be start + ${length}, the length of ${quote(entry.span)}`;
    problems.push({ index, field: 'end', reason });
    return null;
  }
  return { start, end, label: entry.label };
}

/** Stretches of a row's text that entities have taken permanently. So a search continues where the last one stopped. */
class TakenStretches {
  private readonly mask: Uint8Array;
  private readonly stretches = new Set<string>();
  private readonly labelled = new Set<string>();
  private readonly searchedTo = new Map<string, number>();
  private readonly occurring = new Map<string, boolean>();
  private readonly searches = new Map<string, Search>();

  constructor(private readonly text: string) {
    this.mask = new Uint8Array(text.length);
  }

  add({ start, end, label }: ResolvedSpan): void {
    this.mask.fill(1, start, end);
    this.stretches.add(`${start} ${end}`);
    this.labelled.add(`${start} ${end} ${label}`);
  }

  /** Picks the first occurrence that crosses no other; else one within others; else a taken one without this label. */
  firstUnused({ span, label }: Entry): ResolvedSpan | null {
    if (!this.occurs(span)) return null;
    const start =
      this.search(`free ${span}`, span, (from, to) => this.afterTaken(from, to)) ??
      this.search(`within ${span}`, span, (from, to) => (this.stretches.has(`${from} ${to}`) ? from + 1 : null)) ??
      this.search(`labelled ${label} ${span}`, span, (from, to) =>
        this.labelled.has(`${from} ${to} ${label}`) ? from + 1 : null,
      );
    return start === null ? null : { start, end: start + span.length, label };
  }

  occurs(span: string): boolean {
    let known = this.occurring.get(span);
    if (known === undefined) this.occurring.set(span, (known = holds(this.text, span)));
    return known;
  }

  /** @param next where to continue when an occurrence is unsuitable, null when it is suitable */
  private search(name: string, span: string, next: (from: number, to: number) => number | null): number | null {
    let search = this.searches.get(span);
    if (search === undefined) this.searches.set(span, (search = new Search(this.text, span)));
    let start = search.from(this.searchedTo.get(name) ?? 0);
    while (start >= 0) {
      const onwards = next(start, start + span.length);
      if (onwards === null) break;
      start = search.from(onwards);
    }
    this.searchedTo.set(name, start < 0 ? this.text.length : start);
    return start < 0 ? null : start;
  }

  /** The place after the last taken character of a stretch, null if none of it is taken. */
  private afterTaken(from: number, to: number): number | null {
    for (let at = to - 1; at >= from; at -= 1) if (this.mask[at] === 1) return at + 1;
    return null;
  }
}

function missing(taken: TakenStretches, { span }: Entry): string {
  if (!taken.occurs(span))
    return `${quote(span)} does not occur in text; a span must be copied from it letter by letter`;
  return `${quote(span)} is labelled more often than it occurs in text`;
}

/** Shortened, so that a report stays readable. */
export const quote = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
