import type { EvaluationFigures, Example, Figures, LabelFigures, RowHead } from './engine.js';
import { fieldLabel, recordFacts, relationFacts, type RecordFacts } from './record-facts.js';

/**
 * Compares predictions with gold rows, strictly: an entity counts when start, end and label are all right, a class when
 * it is among the row's classes, a value of a structure when its text and field are right and it is in the right
 * record, a relation when its type and the texts of both ends are. A head that a gold row is not labelled for is left
 * out for that row.
 * @param predicted one for each gold row, in order
 */
export function evaluationFigures(gold: readonly Example[], predicted: readonly Example[]): EvaluationFigures {
  const keyOf = labelKeys(gold, predicted);
  const perLabel = new Map<string, Counts>();
  const heads = new Map<RowHead, JudgedCounts>();
  const all = noJudgedCounts();
  gold.forEach((row, index) => {
    const counts = rowCounts(row, predicted[index] ?? { text: row.text }, keyOf);
    for (const [label, each] of counts.perLabel) add(countsIn(perLabel, label), each);
    for (const [head, each] of counts.heads) addJudged(judgedIn(heads, head), each);
    addJudged(all, counts.all);
  });

  const labels = [...perLabel].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...judgedFiguresOf(all),
    macroF1:
      labels.length === 0 ? 0 : labels.reduce((total, [, counts]) => total + figuresOf(counts).f1, 0) / labels.length,
    perLabel: Object.fromEntries(
      labels.map(([label, counts]): [string, LabelFigures] => [label, { ...figuresOf(counts), support: counts.gold }]),
    ),
    heads: Object.fromEntries(
      [...new Set([...HEADS.map(({ name }) => name), ...[...heads.keys()].toSorted()])].flatMap((name) =>
        heads.has(name) ? [[name, judgedFiguresOf(heads.get(name)!)]] : [],
      ),
    ),
  };
}

const SEVERAL = Symbol('several');

/** The name under which figures have a label of a head. */
export type LabelKey = (head: RowHead, label: string) => string;

/** Labels as they are, but with their heads where several heads have one of that name: `person (entities)`. */
export function labelKeys(gold: readonly Example[], predicted: readonly Example[]): LabelKey {
  const headOf = new Map<string, RowHead | typeof SEVERAL>();
  gold.forEach((row, index) => {
    const guess = predicted[index] ?? { text: row.text };
    for (const { name, labelsOf } of headsOf(row))
      for (const label of [...labelsOf(row), ...labelsOf(guess)])
        headOf.set(label, (headOf.get(label) ?? name) === name ? name : SEVERAL);
  });
  return (head, label) => (headOf.get(label) === SEVERAL ? `${label} (${head})` : label);
}

/** Counts that one row adds to the figures. */
interface RowCounts {
  readonly all: JudgedCounts;
  /** The heads that the row is labelled for. */
  readonly heads: ReadonlyMap<RowHead, JudgedCounts>;
  readonly perLabel: ReadonlyMap<string, Counts>;
}

/** Facts that were found rightly, facts predicted, and facts expected. */
export interface Counts {
  hits: number;
  predicted: number;
  gold: number;
}

/** Also counts the rows, and those of them that are exactly right. */
interface JudgedCounts extends Counts {
  rows: number;
  rightRows: number;
}

/** Counts the facts of one row. A row without labels for any head does not count. */
export function rowCounts(gold: Example, guess: Example, keyOf: LabelKey): RowCounts {
  const perLabel = new Map<string, Counts>();
  const heads = new Map<RowHead, JudgedCounts>();
  for (const { name, factsOf } of headsOf(gold))
    heads.set(
      name,
      counted(...factsOf(gold, guess), (label) => countsIn(perLabel, keyOf(name, label))),
    );
  const all = noJudgedCounts();
  for (const each of heads.values()) addJudged(all, each);
  all.rows = Math.min(heads.size, 1);
  all.rightRows = heads.size > 0 && [...heads.values()].every(({ rightRows }) => rightRows === 1) ? 1 : 0;
  return { all, heads, perLabel };
}

/**
 * The facts of one row by label, as `evaluationFigures` counts them: how many were found rightly, how many were predicted, and how
 * many there are.
 */
export function rowFacts(
  gold: Example,
  predicted: Example,
  keyOf: LabelKey,
): { readonly [label: string]: readonly [number, number, number] } {
  return Object.fromEntries(
    [...rowCounts(gold, predicted, keyOf).perLabel].map(([label, counts]) => [
      label,
      [counts.hits, counts.predicted, counts.gold],
    ]),
  );
}

/** A head with the facts of a gold row and of its prediction. */
interface JudgedHead {
  readonly name: RowHead;
  readonly labelsOf: (row: Example) => readonly string[];
  readonly factsOf: (gold: Example, guess: Example) => readonly [gold: RecordFacts, found: RecordFacts];
}

/** The heads that a row is labelled for. */
function headsOf(row: Example): readonly JudgedHead[] {
  const heads = HEADS.filter(({ key }) => row[key] !== undefined);
  return row.tasks ? [...heads, ...row.tasks.map(({ task }) => taskHead(task))] : heads;
}

function taskHead(name: string): JudgedHead {
  const labelsOf = ({ tasks = [] }: Example) => tasks.find(({ task }) => task === name)?.labels ?? [];
  const keysOf = (row: Example): RecordFacts => new Map(labelsOf(row).map((label) => [label, label]));
  return { name, labelsOf, factsOf: (gold, guess) => [keysOf(gold), keysOf(guess)] };
}

/** The heads except tasks, with the key of rows that are labelled for each. */
const HEADS: readonly (JudgedHead & { readonly key: Exclude<keyof Example, 'text' | 'tasks'> })[] = [
  {
    name: 'entities',
    key: 'entities',
    labelsOf: ({ entities = [] }) => entities.map(({ label }) => label),
    factsOf: (gold, guess) => [spanKeys(gold), spanKeys(guess)],
  },
  {
    name: 'classification',
    key: 'labels',
    labelsOf: ({ labels = [] }) => labels,
    factsOf: (gold, guess) => [classKeys(gold), classKeys(guess)],
  },
  {
    name: 'structures',
    key: 'structures',
    labelsOf: ({ structures = [] }) =>
      structures.flatMap(({ name, fields }) => fields.map((field) => fieldLabel(name, field.name))),
    factsOf: recordFacts,
  },
  {
    name: 'relations',
    key: 'relations',
    labelsOf: ({ relations = [] }) => relations.map(({ name }) => name),
    factsOf: (gold, guess) => [relationFacts(gold), relationFacts(guess)],
  },
];

/** Counts one head of one row, and adds its facts to those of their labels. */
function counted(gold: RecordFacts, predicted: RecordFacts, countsOf: (label: string) => Counts): JudgedCounts {
  let hits = 0;
  for (const [key, label] of predicted) {
    const counts = countsOf(label);
    counts.predicted++;
    if (!gold.has(key)) continue;
    counts.hits++;
    hits++;
  }
  for (const label of gold.values()) countsOf(label).gold++;
  const isRight = hits === gold.size && hits === predicted.size;
  return { hits, predicted: predicted.size, gold: gold.size, rows: 1, rightRows: isRight ? 1 : 0 };
}

function spanKeys(row: Example): RecordFacts {
  return new Map((row.entities ?? []).map(({ start, end, label }) => [`${start} ${end} ${label}`, label]));
}

function classKeys(row: Example): RecordFacts {
  return new Map((row.labels ?? []).map((label) => [label, label]));
}

const noCounts = (): Counts => ({ hits: 0, predicted: 0, gold: 0 });
export const noJudgedCounts = (): JudgedCounts => ({ ...noCounts(), rows: 0, rightRows: 0 });
const countsIn = (counts: Map<string, Counts>, label: string): Counts => present(counts, label, noCounts);
const judgedIn = (counts: Map<RowHead, JudgedCounts>, head: RowHead): JudgedCounts =>
  present(counts, head, noJudgedCounts);

function present<Key, Value>(map: Map<Key, Value>, key: Key, none: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = none()));
  return value;
}

function add(sum: Counts, { hits, predicted, gold }: Counts): void {
  sum.hits += hits;
  sum.predicted += predicted;
  sum.gold += gold;
}

function addJudged(sum: JudgedCounts, counts: JudgedCounts): void {
  add(sum, counts);
  sum.rows += counts.rows;
  sum.rightRows += counts.rightRows;
}

/** Precision is 0 if nothing was predicted; recall is 0 if there was nothing to find. */
export function figuresOf({ hits, predicted, gold }: Counts): Figures {
  return {
    f1: predicted + gold === 0 ? 0 : (2 * hits) / (predicted + gold),
    precision: predicted === 0 ? 0 : hits / predicted,
    recall: gold === 0 ? 0 : hits / gold,
  };
}

/** Accuracy is 0 if there are no rows. */
export const judgedFiguresOf = (counts: JudgedCounts): Figures & { readonly accuracy: number } => ({
  ...figuresOf(counts),
  accuracy: counts.rows === 0 ? 0 : counts.rightRows / counts.rows,
});
