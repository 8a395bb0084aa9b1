import type { Contents } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { tasksOf } from '../rows/class-tasks.js';
import { classesOf, inCodePoints, rowSpans, withoutOverlaps } from './row-spans.js';
import type { ExportShape } from './shape.js';

/**
 * Pairs for `Example.from_dict`: `["text", {"entities": [[start, end, label]], "cats": {label: 0 or 1}}]`. Of several tasks, cats
 * are `task/label`; those of a task that the row says nothing of are missing.
 * @see https://spacy.io/api/data-formats#dict-input
 */
export const spacy: ExportShape = {
  mediaType: 'application/json; charset=utf-8',
  ending: 'spacy.json',
  heads: ['entities', 'classification'],
  always: null,
  isList: true,
  write(row, contents, leaveOut) {
    const found = rowSpans(row);
    const cats = catsOf(row, contents);
    if (found === null || (found.spans === null && cats === null)) {
      leaveOut('rows without entities and classes');
      return null;
    }
    const spans = withoutOverlaps(found, leaveOut);
    const places = inCodePoints(found.text, spans);
    const entities = spans.map(({ label }, index) => [...places[index]!, label]);
    return JSON.stringify([found.text, { ...(found.spans && { entities }), ...(cats && { cats }) }]);
  },
};

function catsOf(row: JsonObject, { classLabels, classTasks = [] }: Contents): Readonly<Record<string, number>> | null {
  const classes = classesOf(row);
  if (classes) return Object.fromEntries(classLabels.map((label) => [label, classes.includes(label) ? 1 : 0]));
  const tasks = tasksOf(row)?.flatMap(({ task, labels }) =>
    (classTasks.find(({ name }) => name === task)?.labels ?? labels).map(
      (label) => [`${task}/${label}`, labels.includes(label) ? 1 : 0] as const,
    ),
  );
  return tasks ? Object.fromEntries(tasks) : null;
}
