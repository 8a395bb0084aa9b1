import type { JsonObject } from '#domain/json.js';
import { codePointOffsets } from '../contract/code-points.js';
import type { Example, Span } from '../engine/engine.js';

/**
 * One row of an evaluation for people. Offsets are Unicode code points, end exclusive. If a row is not labelled for a
 * head, predictions for that head are left out too, because they are not judged.
 */
export function predictionLine(expected: Example, predicted: Example): JsonObject {
  const judged = {
    text: expected.text,
    ...(expected.entities && { entities: predicted.entities ?? [] }),
    ...(expected.labels && { labels: predicted.labels ?? [] }),
  };
  const offset = codePointOffsets(expected.text);
  const [gold, found] = [shown(expected, offset), shown(judged, offset)];
  return {
    text: expected.text,
    expected: gold,
    predicted: found,
    correct: JSON.stringify(gold) === JSON.stringify(found),
  };
}

function shown({ text, entities, labels }: Example, offset: (utf16: number) => number): JsonObject {
  const shownSpan = ({ start, end, label }: Span): JsonObject => ({
    text: text.slice(start, end),
    label,
    start: offset(start),
    end: offset(end),
  });
  return {
    ...(entities && { entities: entities.toSorted(bySpan).map(shownSpan) }),
    ...(labels && { labels: labels.toSorted() }),
  };
}

const bySpan = (a: Span, b: Span): number =>
  a.start - b.start || a.end - b.end || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0);
