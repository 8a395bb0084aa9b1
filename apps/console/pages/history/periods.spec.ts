import { beginOf, byPeriod } from './periods.js';

const dayOf = (day: string, count: number, correct: number, incorrect: number) => ({
  ...{ day, count, failed: 1, cost: 0.5, accuracy: null, confusion: [] },
  latency_ms: { p50: 3, p95: 4, p99: 5 },
  verdicts: { correct, incorrect, unsure: 0, none: count - correct - incorrect },
});
// A Sunday, the Monday after it, and the first day of the next month.
const DAYS = [dayOf('2026-11-29', 10, 2, 0), dayOf('2026-11-30', 20, 1, 1), dayOf('2026-12-01', 5, 0, 0)];

describe('the days of charts', () => {
  it('make weeks from Monday on, also over the end of a month', () => {
    expect(beginOf('2026-11-29', 'week')).toBe('2026-11-23');
    expect(byPeriod(DAYS, 'week').map(({ day, count, failed, cost }) => [day, count, failed, cost])).toEqual([
      ['2026-11-23', 10, 1, 0.5],
      ['2026-11-30', 25, 2, 1],
    ]);
  });

  it('make months, with the accuracy over all that was judged and no latency', () => {
    expect(byPeriod(DAYS, 'month')).toMatchObject([
      { day: '2026-11-01', count: 30, accuracy: 0.75, latency_ms: { p95: null } },
      { day: '2026-12-01', count: 5, accuracy: null },
    ]);
  });

  it('stay days', () => {
    expect(byPeriod(DAYS, 'day')).toBe(DAYS);
  });
});
