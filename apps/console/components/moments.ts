import type { Filters } from './use-filters.js';

/**
 * Filters in the API's form. Times of the address are in the browser's time zone. An invalid time is sent unchanged,
 * and the API reports it.
 */
export const momentsOf = (filters: Filters): Filters =>
  Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      name,
      name === 'since' || name === 'until' ? moment(value) : value,
    ]),
  );

function moment(value = ''): string {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? value : date.toISOString();
}

/** A time in the form of an address: in the browser's time zone, to the minute. */
export function localMoment(time: string): string {
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}
