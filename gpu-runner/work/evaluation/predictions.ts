import type { JsonObject } from '#domain/json.js';
import { CodePoints } from '#domain/code-points.js';
import type { Example, LabelledRecord, Prediction, Span, Stretch } from '#gpu-runner/engines/engine.js';
import { evaluationFigures } from '#gpu-runner/engines/evaluation-figures.js';
import { saidBy } from '#gpu-runner/engines/record-facts.js';

/**
 * A row of an evaluation for people. Offsets are Unicode code points, end exclusive. If a row is not labelled for a
 * head, predictions for that head are left out too, because they are not judged.
 */
export function predictionLine(expected: Example, predicted: Prediction): JsonObject {
  const judged = {
    text: expected.text,
    ...(expected.entities && { entities: predicted.entities ?? [] }),
    ...(expected.labels && { labels: predicted.labels ?? [] }),
    ...(expected.tasks && { tasks: predicted.tasks ?? [] }),
    ...(expected.structures && { structures: predicted.structures ?? [] }),
    ...(expected.relations && { relations: predicted.relations ?? [] }),
  };
  const { ofUtf16 } = new CodePoints(expected.text);
  const [gold, found] = [shown(expected, ofUtf16), shown(judged, ofUtf16)];
  return {
    text: expected.text,
    expected: gold,
    predicted: found,
    ...(predicted.certainty !== undefined && { certainty: predicted.certainty }),
    // The last key: readers of the file look for it at the end of a line.
    correct: isRight(expected, judged),
  };
}

/** Whether every head is exactly right, in the sense of the figures. */
function isRight(gold: Example, found: Example): boolean {
  return evaluationFigures([gold], [found]).accuracy === 1;
}

function shown(
  { text, entities, labels, tasks, structures, relations }: Example,
  offset: (utf16: number) => number,
): JsonObject {
  const shownSpan = ({ start, end, label }: Span): JsonObject => ({
    text: text.slice(start, end),
    label,
    start: offset(start),
    end: offset(end),
  });
  return {
    ...(entities && { entities: entities.toSorted(bySpan).map(shownSpan) }),
    ...(labels && { labels: labels.toSorted() }),
    ...(tasks && {
      labels: Object.fromEntries(
        tasks.map((each) => [each.task, each.multiLabel ? each.labels.toSorted() : (each.labels[0] ?? null)]),
      ),
    }),
    ...(structures && { json_structures: structures.toSorted(byStart).map((record) => shownRecord(text, record)) }),
    ...(relations && {
      relations: relations
        .toSorted((a, b) => a.head.start - b.head.start || a.tail.start - b.tail.start)
        .map(({ name, head, tail }) => ({ [name]: { head: textOf(text, head), tail: textOf(text, tail) } })),
    }),
  };
}

/** A record in the form of rows. */
const shownRecord = (text: string, { name, fields }: LabelledRecord): JsonObject => ({
  [name]: Object.fromEntries(
    fields.map(({ name: field, isList, ...said }) => {
      const texts = saidBy(text, said);
      return [field, isList ? texts : (texts[0] ?? null)];
    }),
  ),
});

const textOf = (text: string, { start, end }: Stretch): string => text.slice(start, end);

const byStart = (a: LabelledRecord, b: LabelledRecord): number => startOf(a) - startOf(b) || 0;
/** Infinite for a record without a place. */
const startOf = ({ fields }: LabelledRecord): number =>
  fields.reduce((least, { values }) => values.reduce((before, { start }) => Math.min(before, start), least), Infinity);

const bySpan = (a: Span, b: Span): number =>
  a.start - b.start || a.end - b.end || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0);
