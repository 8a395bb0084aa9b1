import { flatSpans } from '../formats/rows/flat-spans.js';
import { distinct } from '../formats/rows/repeated.js';
import { locateSpans, type ResolvedSpan } from '../formats/rows/spans.js';
import type { Json, JsonObject } from '#domain/json.js';
import { tokensOf } from '#primitives/text/tokens.js';
import { ExampleList } from './example-list.js';
import { MAX_EXCERPT, type SpanFault, type UnalignedSpan, type VersionReport } from './report.js';

/** Finds the spans that a model cannot learn. */
export class SpanCheck {
  private readonly faults: Record<SpanFault, number> = { not_found: 0, blank: 0, overlapping: 0, within_token: 0 };
  private readonly found = new ExampleList<UnalignedSpan>();

  /**
   * @param isTokenised whether the text is cut into tokens
   * @returns the number of its tokens, null when it is not
   */
  add(row: number, text: string, entities: Json | undefined, isTokenised: boolean): number | null {
    const kept = Array.isArray(entities) ? this.locate(row, text, entities as readonly Json[]) : [];
    if (!isTokenised) return null;
    const edges = new Set(kept.flatMap(({ start, end }) => [start, end]));
    const cut = new Set<number>();
    let tokens = 0;
    for (const { start, end } of tokensOf(text)) {
      tokens += 1;
      if (edges.size === 0) continue;
      for (let at = start + 1; at < end; at += 1) if (edges.has(at)) cut.add(at);
    }
    for (const span of kept) if (cut.has(span.start) || cut.has(span.end)) this.refuse(row, text, span, 'within_token');
    return tokens;
  }

  report(): VersionReport['unalignedSpans'] {
    return { ...this.found.list(), faults: this.faults };
  }

  private locate(row: number, text: string, entities: readonly Json[]): readonly ResolvedSpan[] {
    const { spans, problems } = locateSpans(text, entities);
    for (const { index } of problems) this.count(row, ...namesOf(entities[index]!), 'not_found');
    const { kept, overlapping, blank } = flatSpans(text, distinct(spans));
    for (const span of blank) this.refuse(row, text, span, 'blank');
    for (const span of overlapping) this.refuse(row, text, span, 'overlapping');
    return kept;
  }

  private refuse(row: number, text: string, { start, end, label }: ResolvedSpan, fault: SpanFault): void {
    this.count(row, text.slice(start, Math.min(end, start + MAX_EXCERPT)), label, fault);
  }

  private count(row: number, span: string, label: string, fault: SpanFault): void {
    this.faults[fault] += 1;
    // An excerpt may end within a character of two units.
    this.found.add({ row, label, text: span.slice(0, MAX_EXCERPT).toWellFormed(), fault });
  }
}

/** The span and the label of an entry that was never validated. */
function namesOf(entity: Json): [span: string, label: string] {
  const [span, label] = Array.isArray(entity) ? (entity as readonly Json[]) : partsOf(entity);
  return [typeof span === 'string' ? span : '', typeof label === 'string' ? label : ''];
}

function partsOf(entity: Json): readonly (Json | undefined)[] {
  if (typeof entity !== 'object' || entity === null) return [];
  const { text, span, label } = entity as JsonObject;
  return [text ?? span, label];
}
