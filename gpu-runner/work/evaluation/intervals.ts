import type { FigureIntervals, Interval } from '#domain/evaluation/index.js';
import { intervalOf, randomRows, resamplesOf } from '#evaluations/resampling.js';
import type { Example } from '#gpu-runner/engines/engine.js';
import {
  figuresOf,
  judgedFiguresOf,
  labelKeys,
  noJudgedCounts,
  rowCounts,
  type Counts,
} from '#gpu-runner/engines/evaluation-figures.js';
import { rounded } from './figures.js';

/** Labels that have an interval: those with the most facts. */
const MAX_LABELS = 500;

/**
 * The 95% interval of each figure: the 2.5th and 97.5th percentile over resamples of the rows (Efron's bootstrap, seeded, so that
 * the same predictions give the same interval). Rows are drawn whole, since the facts of one row are not independent.
 * @param gold at least one row
 * @param predicted one for each gold row, in order
 * @param working called after each resample
 */
export function intervalsOf(
  gold: readonly Example[],
  predicted: readonly Example[],
  working: () => void,
): FigureIntervals {
  const keyOf = labelKeys(gold, predicted);
  const rows = gold.map((row, at) => rowCounts(row, predicted[at] ?? { text: row.text }, keyOf));
  const resampled = <Name extends string>(
    countsOf: (row: (typeof rows)[number]) => Counts | undefined,
    figures: Figures<Name>,
  ) => new Resampled(rows.map(countsOf), figures);
  const all = resampled((row) => row.all, judgedFiguresOf);
  const heads = [...new Set(rows.flatMap((row) => [...row.heads.keys()]))].map(
    (head) => [head, resampled((row) => row.heads.get(head), judgedFiguresOf)] as const,
  );
  const labels = frequentLabels(rows.map((row) => row.perLabel)).map(
    (label) => [label, resampled((row) => row.perLabel.get(label), figuresOf)] as const,
  );
  const draw = randomRows(rows.length);
  const times = new Int32Array(rows.length);
  for (let resample = 0; resample < resamplesOf(rows.length); resample += 1) {
    times.fill(0);
    for (let nth = 0; nth < rows.length; nth += 1) times[draw()]! += 1;
    for (const each of [all, ...heads.map(([, of]) => of), ...labels.map(([, of]) => of)]) each.add(times);
    working();
  }
  return {
    ...all.intervals(),
    heads: Object.fromEntries(heads.map(([head, of]) => [head, of.intervals()])),
    perLabel: Object.fromEntries(labels.map(([label, of]) => [label, of.intervals()])),
  };
}

function frequentLabels(rows: readonly ReadonlyMap<string, Counts>[]): readonly string[] {
  const facts = new Map<string, number>();
  for (const row of rows) for (const [label, { gold }] of row) facts.set(label, (facts.get(label) ?? 0) + gold);
  const labels = [...facts].toSorted(([a, some], [b, others]) => others - some || (a < b ? -1 : 1));
  return labels.slice(0, MAX_LABELS).map(([label]) => label);
}

type Figures<Name extends string> = (sum: ReturnType<typeof noJudgedCounts>) => Readonly<Record<Name, number>>;

/** The figures of counts over resamples of the rows. */
class Resampled<Name extends string> {
  private readonly rows: readonly { readonly at: number; readonly counts: Counts }[];
  private readonly values: Readonly<Record<Name, number>>[] = [];

  /** @param counts of each row; undefined of those that have none */
  constructor(
    counts: readonly (Counts | undefined)[],
    private readonly figures: Figures<Name>,
  ) {
    this.rows = counts.flatMap((each, at) => (each ? [{ at, counts: each }] : []));
  }

  /** @param times how often each row was drawn */
  add(times: Int32Array): void {
    const sum = noJudgedCounts();
    for (const { at, counts } of this.rows) {
      const drawn = times[at]!;
      if (drawn === 0) continue;
      for (const name of Object.keys(counts) as (keyof typeof sum)[]) sum[name] += drawn * (counts as typeof sum)[name];
    }
    this.values.push(this.figures(sum));
  }

  intervals(): Readonly<Record<Name, Interval>> {
    const names = Object.keys(this.values[0]!) as Name[];
    return Object.fromEntries(
      names.map((name) => [name, rounded(intervalOf(this.values.map((figures) => figures[name])))]),
    ) as Record<Name, Interval>;
  }
}
