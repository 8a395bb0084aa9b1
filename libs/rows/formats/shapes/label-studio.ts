import type { Json, JsonObject } from '#domain/json.js';
import type { ResolvedSpan } from '../rows/spans.js';
import { tasksOf } from '../rows/class-tasks.js';
import { classesOf, rowSpans } from './row-spans.js';
import type { ExportShape, LeaveOut } from './shape.js';

/**
 * Tasks with an annotation each, to be imported into a project whose setup has `Text name="text"`, `Labels name="label"` and
 * `Choices name="class"`, or Choices with the name of each of several classification tasks.
 * @see https://labelstud.io/guide/tasks#Basic-Label-Studio-JSON-format
 */
export const labelStudio: ExportShape = {
  mediaType: 'application/json; charset=utf-8',
  ending: 'label-studio.json',
  heads: ['entities', 'classification', 'relations'],
  always: null,
  isList: true,
  write(row, _, leaveOut) {
    const found = rowSpans(row);
    if (found === null) {
      leaveOut('rows without a text');
      return null;
    }
    const { text, spans } = found;
    const classes = classesOf(row);
    const tasks = tasksOf(row);
    const empty = tasks?.filter(({ labels }) => labels.length === 0).length ?? 0;
    if (empty > 0) leaveOut('classification tasks that a row has no label of', empty);
    // A task without regions may also be one that was not annotated for entities.
    if (spans?.length === 0 && (classes ?? tasks) !== null) leaveOut('rows that say that they have no entities');
    const result = [
      ...(spans ?? []).map((span, index) => region(text, span, index)),
      ...(classes === null || classes.length === 0 ? [] : [choices(classes, 'class', 1)]),
      ...(tasks ?? []).flatMap(({ task, labels }, index) =>
        labels.length === 0 ? [] : [choices(labels, task, index + 1)],
      ),
      ...relations(row, found.text, spans ?? [], leaveOut),
    ];
    return JSON.stringify({ data: { text }, annotations: [{ result }] });
  },
};

const idOf = (index: number): string => `e${index + 1}`;

const region = (text: string, { start, end, label }: ResolvedSpan, index: number): JsonObject => ({
  ...{ id: idOf(index), from_name: 'label', to_name: 'text', type: 'labels' },
  value: { start, end, text: text.slice(start, end), labels: [label] },
});

const choices = (labels: readonly string[], name: string, number: number): JsonObject => ({
  ...{ id: `c${number}`, from_name: name, to_name: 'text', type: 'choices' },
  value: { choices: labels },
});

/** Relations lie between regions, so both ends must be entities. */
function relations(row: JsonObject, text: string, spans: readonly ResolvedSpan[], leaveOut: LeaveOut): JsonObject[] {
  const given = Array.isArray(row.relations) ? (row.relations as readonly Readonly<Record<string, Json>>[]) : [];
  const idOfText = (end: unknown) => {
    const index = spans.findIndex(({ start, end: to }) => text.slice(start, to) === end);
    return index < 0 ? null : idOf(index);
  };
  return given.flatMap((relation) =>
    Object.entries(relation).flatMap(([name, ends]) => {
      const { head, tail } = ends as { head?: unknown; tail?: unknown };
      const [from, to] = [idOfText(head), idOfText(tail)];
      if (from === null || to === null) {
        leaveOut('relations of texts that are no entities');
        return [];
      }
      return [{ type: 'relation', from_id: from, to_id: to, direction: 'right', labels: [name] }];
    }),
  );
}
