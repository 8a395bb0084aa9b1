import type { ClassTask } from '#domain/dataset/index.js';
import { nameOfBoth } from '#rows/formats/index.js';

/** Tasks of several datasets by name, each with all its labels. */
export function mergedTasks(all: readonly (readonly ClassTask[])[]): readonly ClassTask[] {
  const byName = Map.groupBy(all.flat(), ({ name }) => name);
  return [...byName]
    .map(([name, tasks]) => ({
      name,
      labels: [...new Set(tasks.flatMap(({ labels }) => labels))].sort(),
      multiLabel: tasks.some(({ multiLabel }) => multiLabel),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A dataset whose rows are used with those of others. */
interface TasksOfDataset {
  readonly name: string;
  readonly classTasks: readonly ClassTask[];
  readonly structureNames: readonly string[];
}

/**
 * Why each dataset does not go with those before it, or null: rows together all have one label for a task, or all a list, and no task has
 * the name of a structure.
 */
export function taskConflicts(datasets: readonly TasksOfDataset[]): readonly (string | null)[] {
  const kind = (isList: boolean) => (isList ? 'a list of labels' : 'one label');
  const known = new Map<string, { readonly isList: boolean; readonly name: string }>();
  const structures = new Set<string>();
  return datasets.map(({ name, classTasks, structureNames }) => {
    for (const structure of structureNames) structures.add(structure);
    for (const { name: task, multiLabel: isList } of classTasks) {
      const first = known.get(task) ?? { isList, name };
      known.set(task, first);
      if (first.isList !== isList)
        return (
          `${JSON.stringify(name)} has ${kind(isList)} for the task ${JSON.stringify(task)}, and ${JSON.stringify(first.name)} has ` +
          `${kind(first.isList)}; upload the rows with one of the two`
        );
    }
    const both = [...known.keys()].find((task) => structures.has(task));
    return both === undefined ? null : `${JSON.stringify(name)} does not go with the others: ${nameOfBoth(both)}`;
  });
}
