import type { EvaluationFigures, Example, Figures, LabelFigures, RowHead } from './engine.js';
import { recordFacts, relationFacts, type Facts } from './record-facts.js';

/**
 * Compares predictions with gold rows, strictly: an entity counts when start, end and label are all right, a class when it is
 * among the row's classes, a value of a structure when its text and field are right and it is in the right record, a relation
 * when its type and the texts of both ends are. A head that a gold row says nothing about is left out for that row.
 * @param predicted one for each gold row, in order
 */
export function evaluationFigures(gold: readonly Example[], predicted: readonly Example[]): EvaluationFigures {
  const perLabel = new Map<string, Counts>();
  const heads = HEADS.map((head) => ({ ...head, counts: new HeadCounts() }));
  let rows = 0;
  let rightRows = 0;
  gold.forEach((row, index) => {
    const guess = predicted[index] ?? { text: row.text };
    const verdicts = heads.flatMap(({ key, factsOf, counts }) => {
      if (row[key] === undefined) return [];
      const [gold, found] = factsOf(row, guess);
      return [counts.addRow(gold, found, perLabel)];
    });
    if (verdicts.length === 0) return;
    rows++;
    if (verdicts.every((right) => right)) rightRows++;
  });

  const labels = [...perLabel].sort(([a], [b]) => (a < b ? -1 : 1));
  const pooled = sum(heads.map(({ counts }) => counts.counts));
  return {
    ...figuresOf(pooled),
    macroF1:
      labels.length === 0 ? 0 : labels.reduce((total, [, counts]) => total + figuresOf(counts).f1, 0) / labels.length,
    accuracy: rows === 0 ? 0 : rightRows / rows,
    perLabel: Object.fromEntries(
      labels.map(([label, counts]): [string, LabelFigures] => [label, { ...figuresOf(counts), support: counts.gold }]),
    ),
    heads: Object.fromEntries(heads.flatMap(({ name, counts }) => (counts.rows > 0 ? [[name, counts.figures()]] : []))),
  };
}

/**
 * The facts of one row by label, as `evaluationFigures` counts them: how many were found rightly, how many were predicted, and how
 * many there are.
 */
export function rowFacts(
  gold: Example,
  predicted: Example,
): { readonly [label: string]: readonly [number, number, number] } {
  const perLabel = new Map<string, Counts>();
  for (const { key, factsOf } of HEADS)
    if (gold[key] !== undefined) new HeadCounts().addRow(...factsOf(gold, predicted), perLabel);
  return Object.fromEntries(
    [...perLabel].map(([label, counts]) => [label, [counts.hits, counts.predicted, counts.gold]]),
  );
}

interface Counts {
  hits: number;
  predicted: number;
  gold: number;
}

/** The heads, with the key of rows that are labelled for each, and the facts of a gold row and of what was predicted for it. */
const HEADS: readonly {
  readonly name: RowHead;
  readonly key: Exclude<keyof Example, 'text'>;
  readonly factsOf: (gold: Example, guess: Example) => readonly [gold: Facts, found: Facts];
}[] = [
  { name: 'entities', key: 'entities', factsOf: (gold, guess) => [spanKeys(gold), spanKeys(guess)] },
  { name: 'classification', key: 'labels', factsOf: (gold, guess) => [classKeys(gold), classKeys(guess)] },
  { name: 'structures', key: 'structures', factsOf: recordFacts },
  { name: 'relations', key: 'relations', factsOf: (gold, guess) => [relationFacts(gold), relationFacts(guess)] },
];

class HeadCounts {
  readonly counts: Counts = { hits: 0, predicted: 0, gold: 0 };
  rows = 0;
  private rightRows = 0;

  /** @returns whether the row is exactly right */
  addRow(gold: Facts, predicted: Facts, perLabel: Map<string, Counts>): boolean {
    let hits = 0;
    for (const [key, label] of predicted) {
      const counts = countsOf(perLabel, label);
      counts.predicted++;
      if (!gold.has(key)) continue;
      counts.hits++;
      hits++;
    }
    for (const label of gold.values()) countsOf(perLabel, label).gold++;
    this.counts.hits += hits;
    this.counts.predicted += predicted.size;
    this.counts.gold += gold.size;
    const right = hits === gold.size && hits === predicted.size;
    this.rows++;
    if (right) this.rightRows++;
    return right;
  }

  figures(): Figures & { readonly accuracy: number } {
    return { ...figuresOf(this.counts), accuracy: this.rightRows / this.rows };
  }
}

function spanKeys(row: Example): Facts {
  return new Map((row.entities ?? []).map(({ start, end, label }) => [`${start} ${end} ${label}`, label]));
}

function classKeys(row: Example): Facts {
  return new Map((row.labels ?? []).map((label) => [label, label]));
}

function countsOf(perLabel: Map<string, Counts>, label: string): Counts {
  const known = perLabel.get(label);
  if (known !== undefined) return known;
  const counts = { hits: 0, predicted: 0, gold: 0 };
  perLabel.set(label, counts);
  return counts;
}

function sum(all: readonly Counts[]): Counts {
  return all.reduce(
    (a, b) => ({ hits: a.hits + b.hits, predicted: a.predicted + b.predicted, gold: a.gold + b.gold }),
    {
      hits: 0,
      predicted: 0,
      gold: 0,
    },
  );
}

/** Precision is 0 if nothing was predicted; recall is 0 if there was nothing to find. */
function figuresOf({ hits, predicted, gold }: Counts): Figures {
  return {
    f1: predicted + gold === 0 ? 0 : (2 * hits) / (predicted + gold),
    precision: predicted === 0 ? 0 : hits / predicted,
    recall: gold === 0 ? 0 : hits / gold,
  };
}
