import { MAX_TASKS, TAKEN_TASK_NAMES } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { isObject, kind, type FieldProblem } from './kinds.js';
import { quote } from './spans.js';

/** The labels of a row for one of several classification tasks. */
export interface TaskLabels {
  readonly task: string;
  readonly labels: readonly string[];
  /** The row has a list for the task, which may have any number of labels; else it has exactly one. */
  readonly multiLabel: boolean;
}

/** The tasks of a valid row whose `labels` are an object of them; null for other rows. */
export const tasksOf = ({ labels }: JsonObject): readonly TaskLabels[] | null =>
  isObject(labels)
    ? Object.entries(labels).map(([task, value]) => ({
        task,
        labels: Array.isArray(value) ? (value as readonly string[]) : [value as string],
        multiLabel: Array.isArray(value),
      }))
    : null;

/** Columns that hold the labels of one task each, as in `labels.topic`. */
export const TASK_COLUMN = 'labels.';

/** A row whose columns of tasks are `labels`, unless it has `labels` as well; the row itself if it has none. */
export function withTasks(row: JsonObject): JsonObject {
  if ((row.labels ?? null) !== null || !Object.keys(row).some(isTaskColumn)) return row;
  const columns = Object.entries(row) as [string, Json][];
  const tasks = columns.filter(([column]) => isTaskColumn(column));
  return Object.fromEntries([
    ...columns.filter(([column]) => column !== 'labels' && !isTaskColumn(column)),
    ['labels', Object.fromEntries(tasks.map(([column, value]) => [column.slice(TASK_COLUMN.length), value]))],
  ]);
}

export const isTaskColumn = (column: string): boolean =>
  column.startsWith(TASK_COLUMN) && column.length > TASK_COLUMN.length;

/** The labels without tasks that have none; undefined if no task has any. */
export function saidTasks(labels: JsonObject): JsonObject | undefined {
  const said = Object.entries(labels).filter(([, value]) => value !== null && value !== undefined);
  if (said.length === Object.keys(labels).length && said.length > 0) return labels;
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

/** @param listProblems of the labels of a list, with the place of the list */
export function taskProblems(
  labels: JsonObject,
  notLabel: (value: Json) => string | null,
  listProblems: (list: readonly Json[], field: string) => readonly FieldProblem[],
): readonly FieldProblem[] {
  const tasks = Object.entries(labels);
  if (tasks.length > MAX_TASKS) return [{ field: 'labels', reason: `has more than ${MAX_TASKS} tasks` }];
  return tasks.flatMap(([task, value = null]): readonly FieldProblem[] => {
    const field = `labels.${task}`;
    if (task.trim() === '') return [{ field: 'labels', reason: 'has a task without a name' }];
    if (TAKEN_TASK_NAMES.includes(task))
      return [{ field, reason: `has a name that answers have for something else; call the task otherwise` }];
    if (Array.isArray(value)) return listProblems(value as readonly Json[], field);
    if (typeof value !== 'string' && typeof value !== 'number')
      return [{ field, reason: `must be a label, or a list of labels, is ${kind(value)}` }];
    const reason = notLabel(value);
    return reason === null ? [] : [{ field, reason }];
  });
}

/** The message for a name that is a task's and a structure's: answers have both under their names. */
export const nameOfBoth = (name: string): string =>
  `${quote(name)} is a task of labels and a structure; answers have both under their names: call one of them otherwise`;
