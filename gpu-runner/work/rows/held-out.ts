import { randomNumbers } from '#primitives/random-numbers.js';
import { normalised } from '#rows/report/normalised.js';
import { TextTable } from '#rows/report/text-table.js';
import type { HeldOutRows } from '#domain/training-job/index.js';

/** The part of a row that decides its group. */
interface Row {
  readonly labels?: readonly string[];
  readonly tasks?: readonly { readonly task: string; readonly labels: readonly string[] }[];
}

interface Split<Example> {
  readonly train: readonly Example[];
  readonly heldOut: readonly Example[];
}

/** Rows of datasets, and the texts for comparing them. */
interface Rows<Dataset, Example> {
  /** @param first index of the first of these datasets, which follow one another */
  readonly read: (datasets: readonly Dataset[], first: number) => Promise<readonly Example[]>;
  readonly textOf: (row: Example) => string;
  /** A row that later ones correct, each more than the one before. */
  readonly corrected?: (row: Example, later: readonly Example[]) => Example;
}

interface JobRows<Example> extends Split<Example> {
  /** Rows held out only because another row with their text is. */
  readonly followed: number;
  /** Rows that are not trained on, because their text is held out or excluded. */
  readonly excluded: number;
  /** Rows that have the labels of a later row with their text. */
  readonly corrected: number;
}

/**
 * Reads datasets and splits their rows, separately for each group of datasets: a job on another one's datasets and
 * further ones holds out the same rows of them. No text is on both sides: a text seen before stays on its side, and a
 * text of a group that is held out whole is not trained on. Rows of correcting groups replace earlier ones with the
 * same text: the newest labels of a text count, and earlier groups keep their numbers of rows.
 * @param excluded datasets of which no text is trained on
 */
export async function readSplit<Dataset, Example extends Row | object>(
  datasets: readonly Dataset[],
  { share, seed, groups = [datasets.length], byTextFrom = groups.length, wholeGroup, correctsFrom }: HeldOutRows,
  { read, textOf, corrected: correctedBy = corrected }: Rows<Dataset, Example>,
  excluded: readonly Dataset[] = [],
): Promise<JobRows<Example>> {
  const texts = new SplitTexts();
  const splits: Split<Example>[] = [];
  let [first, corrections] = [0, 0];
  for (const [group, size] of groups.entries()) {
    let rows = await read(datasets.slice(first, first + size), first);
    if (group >= (correctsFrom ?? groups.length)) {
      const correction = new Correction(rows, textOf, correctedBy);
      splits.forEach((split, at) => (splits[at] = correction.of(split)));
      corrections += correction.count;
      rows = correction.rest();
    }
    if (group === wholeGroup) splits.push({ train: [], heldOut: rows });
    else if (share === 0) splits.push({ train: rows, heldOut: [] });
    else splits.push(group < byTextFrom ? splitHeldOut(rows, share, seed) : texts.split(rows, textOf, share, seed));
    texts.add(splits.at(-1)!, textOf);
    first += size;
  }
  const heldOut = splits.flatMap((split) => split.heldOut);
  const all = splits.flatMap((split) => split.train);
  for (const row of excluded.length === 0 ? [] : await read(excluded, first)) texts.keepFromTraining(textOf(row));
  const train = all.filter((row) => texts.mayBeTrained(textOf(row)));
  return { train, heldOut, followed: texts.followed, excluded: all.length - train.length, corrected: corrections };
}

/** A row with the heads of later ones, tasks among them; heads that those say nothing of stay as they were. */
export function corrected<Example extends object>(row: Example, later: readonly Example[]): Example {
  const tasks = new Map([row, ...later].flatMap(({ tasks = [] }: Row) => tasks.map((each) => [each.task, each])));
  return Object.assign({}, row, ...later, tasks.size > 0 && { tasks: [...tasks.values()] }) as Example;
}

/** Rows that replace earlier ones with the same text. */
class Correction<Example extends object> {
  count = 0;
  private readonly byText: ReadonlyMap<string, readonly Example[]>;
  private readonly used = new Set<string>();

  constructor(
    private readonly rows: readonly Example[],
    private readonly textOf: (row: Example) => string,
    private readonly corrected: (row: Example, later: readonly Example[]) => Example,
  ) {
    this.byText = Map.groupBy(rows, textOf);
  }

  of({ train, heldOut }: Split<Example>): Split<Example> {
    return { train: train.map((row) => this.ofRow(row)), heldOut: heldOut.map((row) => this.ofRow(row)) };
  }

  /** The rows with texts that did not come before. */
  rest(): readonly Example[] {
    return this.rows.filter((row) => !this.used.has(this.textOf(row)));
  }

  private ofRow(row: Example): Example {
    const text = this.textOf(row);
    const later = text === '' ? undefined : this.byText.get(text);
    if (!later) return row;
    this.used.add(text);
    this.count += 1;
    return this.corrected(row, later);
  }
}

const TRAINED = 1;
const HELD_OUT = 2;

/** The side of each text so far, by its normalised form. */
class SplitTexts {
  followed = 0;
  private readonly sides = new TextTable();

  /** Divides the rows whose text is new; every other row goes to the side of its text. */
  split<Example extends Row | object>(
    rows: readonly Example[],
    textOf: (row: Example) => string,
    share: number,
    seed: number,
  ): Split<Example> {
    const seen = new TextTable();
    const fresh: Example[] = [];
    const repeated = new Set<Example>();
    rows.forEach((row, at) => {
      const text = normalised(textOf(row));
      const isNew = text === '' || (this.sides.find(text) === null && seen.rowAt(seen.add(text, at + 1)) === at + 1);
      if (isNew) fresh.push(row);
      else repeated.add(row);
    });
    const split = splitHeldOut(fresh, share, seed);
    if (repeated.size === 0) return split;
    this.add(split, textOf);
    const heldOut = new Set(split.heldOut);
    for (const row of repeated) if (this.sideOf(textOf(row)) === HELD_OUT) heldOut.add(row);
    this.followed += heldOut.size - split.heldOut.length;
    return { train: rows.filter((row) => !heldOut.has(row)), heldOut: rows.filter((row) => heldOut.has(row)) };
  }

  /** Records both sides. A text on both, of a job that divided row by row, counts as held out. */
  add<Example>({ train, heldOut }: Split<Example>, textOf: (row: Example) => string): void {
    for (const row of train) this.note(textOf(row), TRAINED);
    for (const row of heldOut) this.keepFromTraining(textOf(row));
  }

  keepFromTraining(text: string): void {
    this.note(text, HELD_OUT);
  }

  mayBeTrained(text: string): boolean {
    return this.sideOf(text) !== HELD_OUT;
  }

  private note(text: string, side: number): void {
    const key = normalised(text);
    if (key === '') return;
    const slot = this.sides.add(key, 1, side);
    if (side === HELD_OUT) this.sides.setValue(slot, side);
  }

  private sideOf(text: string): number | null {
    const slot = this.sides.find(normalised(text));
    return slot === null ? null : this.sides.valueAt(slot);
  }
}

/**
 * Divides rows into those to train on and those held out, the same way for the same rows, share and seed. Rows with
 * classes are held out class by class, in proportion, and no class is held out whole; rows without are one group. Rows with
 * several tasks are held out for all of them, in proportion to the classes of each as far as that goes.
 * @param share 0 to 1; at least one row is held out and at least one is not; if each row is the only one of its class,
 * none is held out
 */
export function splitHeldOut<Example extends Row | object>(
  examples: readonly Example[],
  share: number,
  seed: number,
): Split<Example> {
  if (examples.length < 2) return { train: examples, heldOut: [] };
  const wanted = Math.min(examples.length - 1, Math.max(1, Math.round(share * examples.length)));
  const random = randomNumbers(seed);
  if (examples.some(({ tasks }: Row) => tasks !== undefined))
    return divided(examples, ofEachTask(examples, share, wanted, random));
  const groups = [...groupByClass(examples).values()];
  const heldOut = new Set<number>();
  const quotas = apportion(
    groups.map((group) => group.length),
    wanted,
  );
  groups.forEach((group, index) => {
    shuffle(group, random);
    for (const row of group.slice(0, quotas[index])) heldOut.add(row);
  });
  if (heldOut.size === 0) for (const row of spareRows(examples, wanted, random)) heldOut.add(row);
  return divided(examples, heldOut);
}

const divided = <Example>(examples: readonly Example[], heldOut: ReadonlySet<number>): Split<Example> => ({
  train: examples.filter((_, row) => !heldOut.has(row)),
  heldOut: examples.filter((_, row) => heldOut.has(row)),
});

/**
 * Rows held out of those with several tasks: for each class its share, the rarest first (iterative stratification, Sechidis et al.
 * 2011), then any others. A row is held out only if each of its classes has another row.
 */
function ofEachTask(examples: readonly Row[], share: number, wanted: number, random: () => number): Set<number> {
  const order = examples.map((_, row) => row);
  shuffle(order, random);
  const classes = examples.map(classesIn);
  const rowsOf = Map.groupBy(
    order.flatMap((row) => classes[row]!.map((name) => ({ name, row }))),
    ({ name }) => name,
  );
  const left = new Map([...rowsOf].map(([name, rows]) => [name, rows.length]));
  const heldOut = new Set<number>();
  const take = (row: number) => {
    if (heldOut.size === wanted || heldOut.has(row) || classes[row]!.some((name) => left.get(name)! < 2)) return;
    heldOut.add(row);
    for (const name of classes[row]!) left.set(name, left.get(name)! - 1);
  };
  const rarest = [...rowsOf].toSorted(([a, x], [b, y]) => x.length - y.length || (a < b ? -1 : 1));
  for (const [name, rows] of rarest) {
    const least = rows.length - Math.round(share * rows.length);
    for (const { row } of rows) if (left.get(name)! > least) take(row);
  }
  order.forEach(take);
  return heldOut;
}

/** The classes of a row, each with its task. */
const classesIn = ({ labels = [], tasks = [] }: Row): readonly string[] => [
  ...labels.map((label) => JSON.stringify([label])),
  ...tasks.flatMap(({ task, labels: own }) => own.map((label) => JSON.stringify([task, label]))),
];

/** Used if no two rows have the same classes: picks rows whose classes all occur in the remaining rows. */
function spareRows(examples: readonly Row[], wanted: number, random: () => number): number[] {
  const rowsOf = new Map<string, number>();
  for (const { labels = [] } of examples) for (const label of labels) rowsOf.set(label, (rowsOf.get(label) ?? 0) + 1);
  const order = examples.map((_, row) => row);
  shuffle(order, random);
  const spare: number[] = [];
  for (const row of order) {
    const labels = examples[row]?.labels ?? [];
    if (spare.length === wanted || labels.length === 0 || labels.some((label) => rowsOf.get(label)! < 2)) continue;
    for (const label of labels) rowsOf.set(label, rowsOf.get(label)! - 1);
    spare.push(row);
  }
  return spare;
}

/** Row numbers by class; a Map keeps the order in which the classes first appear. */
function groupByClass(examples: readonly Row[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  examples.forEach(({ labels }, row) => {
    const key = labels === undefined ? '' : `classes ${JSON.stringify(labels.toSorted())}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  });
  return groups;
}

/**
 * Seats by largest remainder (Hamilton's method), each group keeping one row at least. When the groups are so small that
 * this leaves less than is wanted, less is held out.
 */
function apportion(sizes: readonly number[], wanted: number): number[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const exact = sizes.map((size) => (size * wanted) / total);
  const quotas = exact.map((quota, index) => Math.min(Math.floor(quota), sizes[index]! - 1));
  let left = wanted - quotas.reduce((sum, quota) => sum + quota, 0);
  const byRemainder = exact
    .map((quota, index) => ({ index, remainder: quota - Math.floor(quota) }))
    .toSorted((a, b) => b.remainder - a.remainder || sizes[b.index]! - sizes[a.index]! || a.index - b.index);
  while (left > 0) {
    const before = left;
    for (const { index } of byRemainder)
      if (left > 0 && quotas[index]! < sizes[index]! - 1) {
        quotas[index]! += 1;
        left -= 1;
      }
    if (left === before) break;
  }
  return quotas;
}

/** Fisher and Yates, in place. */
function shuffle(rows: number[], random: () => number): void {
  for (let last = rows.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [rows[last], rows[other]] = [rows[other]!, rows[last]!];
  }
}
