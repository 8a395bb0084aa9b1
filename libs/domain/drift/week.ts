const DAY_MS = 24 * 60 * 60_000;

/** The week of a time, as ISO 8601 numbers them from Monday, in UTC: `2030-W01`. */
export function weekOf(at: string | number): string {
  const time = new Date(at);
  const day = Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate());
  // A week belongs to the year of its Thursday.
  const thursday = day + (3 - ((time.getUTCDay() + 6) % 7)) * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  const week = 1 + Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * DAY_MS));
  return `${String(year).padStart(4, '0')}-W${String(week).padStart(2, '0')}`;
}

/** The Monday with which a week begins: `2029-12-31`. */
export function mondayOf(week: string): string {
  const [year, number] = week.split('-W').map(Number) as [number, number];
  // The fourth of January is always in the first week.
  const fourth = new Date(Date.UTC(year, 0, 4));
  const monday = fourth.getTime() - ((fourth.getUTCDay() + 6) % 7) * DAY_MS + (number - 1) * 7 * DAY_MS;
  return new Date(monday).toISOString().slice(0, 10);
}

/** The week that is `weeks` weeks before another. */
export const weeksBefore = (week: string, weeks: number): string =>
  weekOf(Date.parse(mondayOf(week)) - weeks * 7 * DAY_MS);
