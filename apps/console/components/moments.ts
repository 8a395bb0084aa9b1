import type { Filters } from './use-filters.js';

/** Filters as the API takes them. Times of the address are in the browser's time zone. What is no time goes as it is, and the API says so. */
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
