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
