import type { Schema } from '../../api/client.js';

type Group = Schema['InferenceGroup'];

/** Spans of time that charts can show; the API counts days. */
export const PERIODS = { day: 'Days', week: 'Weeks', month: 'Months' } as const;
export type Period = keyof typeof PERIODS;

/** The first day of the period of a day: weeks begin on Monday. @param day of UTC, yyyy-mm-dd */
export function beginOf(day: string, period: Period): string {
  if (period === 'month') return `${day.slice(0, 'yyyy-mm'.length)}-01`;
  const date = new Date(`${day}T00:00:00Z`);
  if (period === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}

/**
 * The sums of days by period, under the first day of each. Percentiles of a latency do not add up: a longer period has none.
 * @param days in their order, each with its day
 */
export function byPeriod(days: readonly Group[], period: Period): readonly Group[] {
  if (period === 'day') return days;
  const groups = Map.groupBy(days, ({ day }) => beginOf(day!, period));
  return [...groups].map(([day, of]) => {
    const sum = (value: (group: Group) => number): number => of.reduce((total, group) => total + value(group), 0);
    const [correct, incorrect] = [sum(({ verdicts }) => verdicts.correct), sum(({ verdicts }) => verdicts.incorrect)];
    return {
      ...{ day, confusion: [], latency_ms: { p50: null, p95: null, p99: null } },
      ...{ count: sum(({ count }) => count), failed: sum(({ failed }) => failed), cost: sum(({ cost }) => cost) },
      accuracy: correct + incorrect === 0 ? null : correct / (correct + incorrect),
      verdicts: {
        ...{ correct, incorrect },
        unsure: sum(({ verdicts }) => verdicts.unsure),
        none: sum(({ verdicts }) => verdicts.none),
      },
    };
  });
}
