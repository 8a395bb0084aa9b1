import type { Span } from './spans.js';

/**
 * The spans of a row's entities: `[text, label]`, at the text's first place that is not yet within a span of its label,
 * or `{text, label, start}`, where `start` counts code points.
 */
export function spansOf(text: string, entities: unknown): readonly Span[] {
  const spans: Span[] = [];
  for (const entity of Array.isArray(entities) ? (entities as readonly unknown[]) : []) {
    const [what, label, at] = Array.isArray(entity)
      ? (entity as readonly unknown[])
      : [...(['text', 'label', 'start'] as const)].map((field) => (entity as Readonly<Record<string, unknown>>)[field]);
    if (typeof what !== 'string' || typeof label !== 'string') continue;
    const start = typeof at === 'number' ? [...text].slice(0, at).join('').length : placeOf(text, what, label, spans);
    if (start >= 0) spans.push({ start, end: start + what.length, label });
  }
  return spans;
}

function placeOf(text: string, what: string, label: string, taken: readonly Span[]): number {
  let start = text.indexOf(what);
  while (start >= 0 && taken.some((span) => span.start === start && span.label === label))
    start = text.indexOf(what, start + 1);
  return start;
}
