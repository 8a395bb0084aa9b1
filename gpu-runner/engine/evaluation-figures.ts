import type { EvaluationFigures, Example, Figures, LabelFigures } from './engine.js';

/**
 * Compares predictions with gold rows, strictly: an entity counts when start, end and label are all right, a class when it is
 * among the row's classes. A head that a gold row says nothing about is left out for that row.
 * @param predicted one for each gold row, in order
 */
export function evaluationFigures(gold: readonly Example[], predicted: readonly Example[]): EvaluationFigures {
  const perLabel = new Map<string, Counts>();
  const entities = new HeadCounts();
  const classification = new HeadCounts();
  let rows = 0;
  let rightRows = 0;
  gold.forEach((row, index) => {
    const guess = predicted[index];
    const verdicts: boolean[] = [];
    if (row.entities !== undefined)
      verdicts.push(entities.addRow(spanKeys(row), guess === undefined ? new Map() : spanKeys(guess), perLabel));
    if (row.labels !== undefined)
      verdicts.push(
        classification.addRow(classKeys(row), guess === undefined ? new Map() : classKeys(guess), perLabel),
      );
    if (verdicts.length === 0) return;
    rows++;
    if (verdicts.every((right) => right)) rightRows++;
  });

  const labels = [...perLabel].sort(([a], [b]) => (a < b ? -1 : 1));
  const pooled = sum([entities.counts, classification.counts]);
  return {
    ...figuresOf(pooled),
    macroF1:
      labels.length === 0 ? 0 : labels.reduce((total, [, counts]) => total + figuresOf(counts).f1, 0) / labels.length,
    accuracy: rows === 0 ? 0 : rightRows / rows,
    perLabel: Object.fromEntries(
      labels.map(([label, counts]): [string, LabelFigures] => [label, { ...figuresOf(counts), support: counts.gold }]),
    ),
    heads: {
      ...(entities.rows > 0 ? { entities: entities.figures() } : {}),
      ...(classification.rows > 0 ? { classification: classification.figures() } : {}),
    },
  };
}

interface Counts {
  hits: number;
  predicted: number;
  gold: number;
}

/** Key of one fact about a row, and the label it is counted under. */
type Facts = ReadonlyMap<string, string>;

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

/** Nothing predicted is a precision of 0, nothing to find a recall of 0. */
function figuresOf({ hits, predicted, gold }: Counts): Figures {
  return {
    f1: predicted + gold === 0 ? 0 : (2 * hits) / (predicted + gold),
    precision: predicted === 0 ? 0 : hits / predicted,
    recall: gold === 0 ? 0 : hits / gold,
  };
}
