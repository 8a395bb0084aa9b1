import type { Job } from './live-job.js';

/** Runs in one chart: as many as there are colours for any kind of sight. */
export const MAX_RUNS = 12;

/** What runs are measured by, larger is better. */
export interface Metric {
  readonly name: string;
  readonly of: (job: Job) => number | null;
}

const orNull = (value: number | null | undefined): number | null => value ?? null;

/** The figures of all the jobs, then the F1 of each of their labels. */
export function metricsOf(jobs: readonly Job[]): readonly Metric[] {
  const labels = new Set(jobs.flatMap(({ metrics }) => Object.keys(metrics?.per_entity ?? {})));
  return [
    { name: 'F1', of: ({ metrics }) => orNull(metrics?.f1) },
    { name: 'Precision', of: ({ metrics }) => orNull(metrics?.precision) },
    { name: 'Recall', of: ({ metrics }) => orNull(metrics?.recall) },
    ...[...labels].sort().map((label) => ({
      name: `F1 of ${label}`,
      of: ({ metrics }: Job) => orNull(metrics?.per_entity[label]?.f1),
    })),
  ];
}

/** Rows of the datasets that a job learns from. */
export const rowsOf = ({ datasets }: Job): number =>
  datasets.filter(({ held_out }) => held_out !== true).reduce((sum, { sample_size }) => sum + sample_size, 0);

/** What a learning curve is drawn over. */
export const STEPS = {
  step: { label: 'step', of: (_job: Job, step: number): number => step },
  rows: { label: 'rows seen', of: ({ batch_size }: Job, step: number): number => step * batch_size },
} as const;

/** What a learning curve shows. */
export const CURVES = {
  f1: 'F1',
  validation_loss: 'Validation loss',
  training_loss: 'Training loss',
} as const;

interface Series {
  readonly at: readonly number[];
  readonly values: readonly (number | null)[];
}

/** Series over places of their own as lines over the places of all: null where a series has no value. */
export function together(series: readonly Series[]): {
  readonly at: readonly number[];
  readonly lines: readonly (readonly (number | null)[])[];
} {
  const at = [...new Set(series.flatMap((each) => each.at))].sort((a, b) => a - b);
  const lines = series.map((each) => {
    const known = new Map(each.at.map((place, index) => [place, each.values[index] ?? null]));
    return at.map((place) => known.get(place) ?? null);
  });
  return { at, lines };
}

/** The lengths of their held-out rows, if these differ: figures on different rows are not compared by themselves. */
export function differingRows(jobs: readonly Job[]): readonly number[] {
  const counts = new Set(jobs.flatMap(({ metrics }) => metrics?.judged_rows ?? []));
  return counts.size > 1 ? [...counts].sort((a, b) => a - b) : [];
}
