import type {
  ClassHit,
  ClassificationQuery,
  EntityHit,
  Example,
  LearnedTask,
  ModelAbilities,
  Prediction,
  TaskLabels,
} from './engine.js';
import { matcherOf } from './matching-labels.js';

/** Confidence from which an answer counts as found if neither the request nor the head says. */
export const DEFAULT_THRESHOLD = 0.5;
/** Name of the label group of a trained model's own labels. */
export const OWN_TASK = 'classification';

/** The classification tasks of a model; the one without a name is called `OWN_TASK`. */
export const learnedTasks = ({ classLabels, multiLabel, tasks = [] }: ModelAbilities): readonly LearnedTask[] => [
  ...(classLabels === null ? [] : [{ task: OWN_TASK, labels: classLabels, multiLabel }]),
  ...tasks,
];

/** The tasks that an example is labelled for; the one without a name is called `OWN_TASK`. */
export const tasksOf = ({ labels, tasks = [] }: Example): readonly Pick<TaskLabels, 'task' | 'labels'>[] => [
  ...(labels === undefined ? [] : [{ task: OWN_TASK, labels }]),
  ...tasks,
];

/** The task that answers for a name and labels: the one of the name, else the one that learned the most of the labels. */
export function taskFor<Task extends Pick<LearnedTask, 'task' | 'labels'>>(
  learned: readonly Task[],
  name: string,
  labels: readonly string[],
): Task | null {
  const own = learned.find(({ task }) => task === name);
  if (own || learned.length < 2) return own ?? learned[0] ?? null;
  const known = learned.map((task) => {
    const matching = matcherOf(task.labels);
    return labels.filter((label) => matching(label) !== null).length;
  });
  return learned[known.indexOf(Math.max(...known))]!;
}

/**
 * A query for each task that the examples are labelled for. A classifier that knows any of the examples' labels answers with all
 * its labels, and is wrong on the others; any other is judged on choosing among the examples' labels unseen.
 */
export function classQueriesOf(
  learned: readonly LearnedTask[],
  examples: readonly Example[],
): readonly ClassificationQuery[] {
  const rows = Map.groupBy(examples.flatMap(tasksOf), ({ task }) => task);
  return [...rows].flatMap(([task, entries]) => {
    const gold = entries.flatMap(({ labels }) => labels);
    const own = taskFor(learned, task, gold);
    const matching = matcherOf(own?.labels ?? []);
    const known = gold.filter((label) => matching(label) !== null);
    const query =
      own !== null && known.length > 0
        ? { task, labels: union(known, own.labels), multiLabel: own.multiLabel }
        : { task, labels: union(gold, []), multiLabel: entries.some(({ labels }) => labels.length !== 1) };
    return query.labels.length === 0 ? [] : [query];
  });
}

/** The labels as the examples write them, and those of the model that the examples lack. */
export function union(gold: readonly string[], learned: readonly string[]): readonly string[] {
  const written = [...new Set(gold)].toSorted();
  const matching = matcherOf(written);
  return [...written, ...learned.filter((label) => matching(label) === null)];
}

export function foundEntities(hits: readonly EntityHit[]): Pick<Prediction, 'entities' | 'entityConfidences'> {
  const inOrder = hits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  return {
    entities: inOrder.map(({ start, end, label }) => ({ start, end, label })),
    entityConfidences: inOrder.map(({ confidence }) => confidence),
  };
}

/** @param hitsOf the answer for a task; null if there was no query for it */
export function foundClasses(
  { labels, tasks }: Example,
  hitsOf: (task: string) => readonly ClassHit[] | null,
): Pick<Prediction, 'labels' | 'labelConfidences' | 'tasks'> {
  const own = labels && hitsOf(OWN_TASK);
  return {
    ...(own && {
      labels: own.map(({ label }) => label),
      labelConfidences: own.map(({ confidence }) => confidence),
    }),
    ...(tasks && {
      tasks: tasks.map(({ task, multiLabel }) => {
        const hits = hitsOf(task) ?? [];
        const confidences = hits.map(({ confidence }) => confidence);
        return { task, labels: hits.map(({ label }) => label), multiLabel, confidences };
      }),
    }),
  };
}
