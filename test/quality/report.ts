import { cpus } from 'node:os';
import { table, writeBetween } from './page.js';
import type { Results } from './results.js';
import { SETS, type DataSet, type RowCount } from './sets.js';
import type { Result } from './trial.js';
import { SYSTEMS, type System } from './systems.js';
import { TRIALS } from './trials.js';

/** A system after a number of rows: the mean over the draws that were measured. */
interface Line {
  readonly system: System;
  readonly rows: RowCount;
  readonly results: readonly Result[];
}

/** Writes the figures into docs/design/quality.md, between its two marks. */
export const writeReport = (results: Results): void => writeBetween('design/quality.md', 'figures', figures(results));

function figures(results: Results): string {
  const dates = TRIALS.flatMap((trial) => results.of(trial)?.date ?? []).toSorted();
  const days = [...new Set([dates[0], dates.at(-1)])].join(' to ');
  const machine = `${cpus().length} cores (${cpus()[0]!.model}), Node ${process.versions.node}`;
  const sets = SETS.map((set) => ({ set, lines: linesOf(set, results) }));
  // One set of entities and one of classes.
  const costly = sets.filter(
    ({ set }, at) => set.files.length > 0 && sets.findIndex((other) => other.set.head === set.head) === at,
  );
  return [
    `Measured ${days} on ${machine}.`,
    ...sets.map(({ set, lines }) => `## ${set.title}\n\n${learningCurve(set, lines)}`),
    '## What it costs, after all rows',
    ...costly.map(({ set, lines }) => `### ${set.title}: costs\n\n${costs(lines)}`),
  ].join('\n\n');
}

/** Systems of which nothing was measured have none. */
function linesOf(set: DataSet, results: Results): Line[] {
  return SYSTEMS.flatMap((system) =>
    set.counts.flatMap((rows) => {
      const trials = TRIALS.filter((trial) => trial.set === set && trial.system === system && trial.rows === rows);
      const found = trials.flatMap((trial) => results.of(trial) ?? []);
      return trials.length === 0 ? [] : [{ system, rows, results: found }];
    }),
  ).filter(({ system }, _, lines) => lines.some((line) => line.system === system && line.results.length > 0));
}

/** Systems by numbers of rows. */
function learningCurve(set: DataSet, lines: readonly Line[]): string {
  const { counts, head, rule } = set;
  const best = counts.map((rows) =>
    Math.max(...lines.filter((line) => line.rows === rows).map((line) => mean(line.results, figureOf) ?? 0)),
  );
  const body = Map.groupBy(lines, ({ system }) => system)
    .entries()
    .map(([system, own]) => [
      system.title,
      ...own.map(({ results }, at) => {
        const value = mean(results, figureOf);
        if (value === null) return 'not measured';
        const shown = value === best[at] ? `**${value.toFixed(3)}**` : value.toFixed(3);
        return results.length === 1 ? shown : `${shown} (${range(results)})`;
      }),
    ]);
  const ruled = rule ? [['a rule', rule().toFixed(3)]] : [];
  return table([[head === 'labels' ? 'accuracy' : 'micro-F1', ...counts], ...body, ...ruled]);
}

const range = (results: readonly Result[]): string => {
  const values = results.map(figureOf);
  // Without the zero before the point: the page is long.
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(3).replace(/^0/, ''));
  return `${least} to ${most}`;
};

const figureOf = ({ figure }: Result): number => figure;

const COSTS: readonly (readonly [title: string, of: (result: Result) => number | null, decimals: number])[] = [
  ['calibration error', (result) => result.calibration_error, 3],
  ['training, CPU s', (result) => result.train_cpu_seconds, 1],
  ['CPU ms a text', (result) => result.cpu_ms_a_text, 2],
  ['model, MB', (result) => result.model_mb, 2],
];

function costs(lines: readonly Line[]): string {
  return table([
    ['', ...COSTS.map(([title]) => title)],
    ...lines
      .filter(({ rows, results }) => rows === 'all' && results.length > 0)
      .map(({ system, results }) => [
        system.title,
        ...COSTS.map(([, of, decimals]) => mean(results, of)?.toFixed(decimals) ?? 'none'),
      ]),
  ]);
}

/** @returns null where no result has the figure */
function mean(results: readonly Result[], of: (result: Result) => number | null): number | null {
  const values = results.map(of).filter((value) => value !== null);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
