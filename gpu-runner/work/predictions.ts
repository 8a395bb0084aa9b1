import type { JsonObject } from '#domain/json.js';
import type { Example, Span } from '../engine/engine.js';

/**
 * One row of an evaluation as people read it. Offsets are in Unicode code points, end exclusive. A row that says nothing
 * of a head has no key for it, and what was predicted for that head is left out too: it is not judged.
 */
export function predictionLine(expected: Example, predicted: Example): JsonObject {
  const judged = {
    text: expected.text,
    ...(expected.entities && { entities: predicted.entities ?? [] }),
    ...(expected.labels && { labels: predicted.labels ?? [] }),
  };
  const [gold, found] = [shown(expected), shown(judged)];
  return {
    text: expected.text,
    expected: gold,
    predicted: found,
    correct: JSON.stringify(gold) === JSON.stringify(found),
  };
}

function shown({ text, entities, labels }: Example): JsonObject {
  return {
    ...(entities && { entities: entities.toSorted(bySpan).map((span) => shownSpan(text, span)) }),
    ...(labels && { labels: labels.toSorted() }),
  };
}

const shownSpan = (text: string, { start, end, label }: Span): JsonObject => ({
  text: text.slice(start, end),
  label,
  start: codePoints(text, start),
  end: codePoints(text, end),
});

/** How many code points stand before a UTF-16 offset. */
function codePoints(text: string, offset: number): number {
  let count = 0;
  for (let at = 0; at < offset; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1;
  return count;
}

const bySpan = (a: Span, b: Span): number =>
  a.start - b.start || a.end - b.end || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0);
