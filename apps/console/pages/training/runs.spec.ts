import type { Job } from './live-job.js';
import { differingRows, metricsOf, rowsOf, STEPS, together } from './runs.js';

const job = (fields: object) => fields as Job;

describe('runs in one chart', () => {
  it('have a place wherever one of them was measured, and no value where they were not', () => {
    const one = { at: [10, 30], values: [0.5, null] };
    const other = { at: [20, 30], values: [0.6, 0.7] };
    expect(together([one, other])).toEqual({
      at: [10, 20, 30],
      lines: [
        [0.5, null, null],
        [null, 0.6, 0.7],
      ],
    });
  });

  it('are measured by the labels of any of them', () => {
    const jobs = [
      job({ metrics: { f1: 0.8, per_entity: { city: { f1: 0.4 } } } }),
      job({ metrics: { f1: 0.9, per_entity: { date: { f1: 0.5 } } } }),
      job({}),
    ];
    const metrics = metricsOf(jobs);
    expect(metrics.map(({ name }) => name)).toEqual(['F1', 'Precision', 'Recall', 'F1 of city', 'F1 of date']);
    expect(jobs.map(metrics[0]!.of)).toEqual([0.8, 0.9, null]);
    expect(jobs.map(metrics[3]!.of)).toEqual([0.4, null, null]);
  });

  it('count the rows that they learn from, without those held out whole', () => {
    const datasets = [{ sample_size: 30 }, { sample_size: 20 }, { sample_size: 5, held_out: true }];
    expect(rowsOf(job({ datasets }))).toBe(50);
    expect(STEPS.rows.of(job({ batch_size: 8 }), 3)).toBe(24);
  });

  it('say when they are judged by other numbers of rows', () => {
    const judged = (judged_rows: number | null) => job({ metrics: { judged_rows } });
    expect(differingRows([judged(30), judged(30), judged(null), job({})])).toEqual([]);
    expect(differingRows([judged(48), judged(30)])).toEqual([30, 48]);
  });
});
