import type { Json } from '#domain/json.js';
import { tasksOf } from '../rows/class-tasks.js';
import { classesOf, rowSpans } from './row-spans.js';
import type { ExportShape } from './shape.js';

/**
 * Training rows of GLiNER2: `{"input": text, "output": {entities, classifications, json_structures, relations}}`.
 * @see https://github.com/fastino-ai/GLiNER2/blob/main/tutorial/8-train_data.md
 */
export const gliner2: ExportShape = {
  mediaType: 'application/x-ndjson; charset=utf-8',
  ending: 'gliner2.jsonl',
  heads: ['entities', 'classification', 'structures', 'relations'],
  always: null,
  isList: false,
  write(row, { classLabels, multiLabel, classTasks = [] }, leaveOut) {
    const found = rowSpans(row);
    if (found === null) {
      leaveOut('rows without a text');
      return null;
    }
    const { text, spans } = found;
    const placed = Array.isArray(row.entities) ? row.entities.filter((entity) => !Array.isArray(entity)).length : 0;
    if (placed > 0) leaveOut('places of entities', placed);
    const classes = classesOf(row);
    const tasks = classes ? [{ task: 'label', labels: classes, multiLabel }] : tasksOf(row);
    const classifications = tasks?.map(({ task, labels, multiLabel: isList }) => ({
      task,
      labels: classTasks.find(({ name }) => name === task)?.labels ?? classLabels,
      true_label: labels,
      ...(isList && { multi_label: true }),
    }));
    const output = {
      ...(spans && { entities: textsByLabel(text, spans) }),
      ...(classifications && { classifications }),
      ...(row.json_structures !== undefined && { json_structures: row.json_structures }),
      ...(row.relations !== undefined && { relations: row.relations }),
    };
    return `${JSON.stringify({ input: text, output })}\n`;
  },
};

export function textsByLabel(
  text: string,
  spans: readonly { readonly start: number; readonly end: number; readonly label: string }[],
): Readonly<Record<string, Json>> {
  const byLabel = Map.groupBy(spans, ({ label }) => label);
  return Object.fromEntries(
    [...byLabel].map(([label, own]) => [label, own.map(({ start, end }) => text.slice(start, end))]),
  );
}
