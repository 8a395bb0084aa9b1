import { sharedConstants } from './clusters.js';
import type { Member, Task } from './find-tasks.js';
import { MIN_CALLS } from './build-templates.js';
import { isAlike, shapeOf } from './forms.js';
import { ShingleTable } from './shingles.js';

/** Share of the constant characters that versions of a prompt have in common. */
const SHARED = 0.6;
/** Share of the calls of a version that may come after the first of the next: a change is rolled out in steps. */
const LATE = 0.1;

/**
 * A task and the others whose prompt became, or had become, its own: they ask for like answers in mostly the same words, one after the
 * other. Newest first.
 */
export function versionsOf(task: Task, tasks: readonly Task[]): readonly Task[] {
  const found = [task];
  let left = tasks.filter((each) => each !== task && each.cut === 'certain' && each.bucket === task.bucket);
  for (const known of found) {
    const next = left.filter((each) => isVersionOf(known, each));
    found.push(...next);
    left = left.filter((each) => !next.includes(each));
  }
  return found.sort((one, other) => (one.members.at(-1)!.at < other.members.at(-1)!.at ? 1 : -1));
}

function isVersionOf(one: Task, other: Task): boolean {
  const [shape, otherShape] = [one, other].map(({ members }) => shapeOf(members.map(({ answer }) => answer)));
  return (
    parameterValues(one).length === parameterValues(other).length &&
    isAlike(shape!, otherShape!) &&
    (follows(one, other) || follows(other, one)) &&
    shared(one, other) >= SHARED
  );
}

/**
 * A task with the newest words of its prompt alone: a stretch that had one value after another, never two at a time, is no parameter but
 * was changed.
 * @returns the task itself if nothing was
 */
export function newestWords(task: Task): Task {
  const values = parameterValues(task);
  const newest = values.map((_, at) => newestOf(task.members, at));
  if (newest.every((value) => value === null)) return task;
  let parameter = 0;
  const parts = task.template.parts.map((part) => ({
    ...part,
    holes: part.holes.map((hole) => {
      const value = hole.kind === 'parameter' ? newest[parameter++]! : null;
      return value === null || hole.kind !== 'parameter' ? hole : { ...hole, values: [value] };
    }),
  }));
  const members = task.members.filter(({ parameters }) => newest.every((value, at) => value === null || parameters[at] === value)); // prettier-ignore
  return { ...task, template: { ...task.template, parts }, members };
}

const parameterValues = ({ template: { parts } }: Task): readonly (readonly string[])[] =>
  parts.flatMap(({ holes }) => holes.flatMap((hole) => (hole.kind === 'parameter' ? [hole.values] : [])));

/** The last value of a parameter whose values follow each other; null: they do not. */
function newestOf(members: readonly Member[], parameter: number): string | null {
  const periods = [...Map.groupBy(members, ({ parameters }) => parameters[parameter]!)];
  const inTurn = periods.every(
    ([, own], at) =>
      own.length >= MIN_CALLS && (at === 0 || follows({ members: own }, { members: periods[at - 1]![1] })),
  );
  return inTurn && periods.length > 1 ? periods.at(-1)![0] : null;
}

type Called = Pick<Task, 'members'>;

/** Whether nearly all calls are older than others. */
function follows({ members: later }: Called, { members: earlier }: Called): boolean {
  const begins = later[0]!.at;
  return earlier.filter(({ at }) => at >= begins).length <= LATE * earlier.length;
}

function shared(one: Task, other: Task): number {
  const table = new ShingleTable();
  const [first, second] = [one, other].map(({ template: { parts } }) =>
    table.read(parts.map(({ chunks }) => chunks.join('\u0000'))),
  );
  return Math.min(sharedConstants([first!], [second!], table), sharedConstants([second!], [first!], table));
}
