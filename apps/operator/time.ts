import type { Json } from '#domain/json.js';
import { OperationError } from './operation.js';

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(?<offset>Z|[+-]\d\d:?\d\d)?)?$/i;

/**
 * A time of an option, in UTC where it names no offset, as in the API; null where the option is absent.
 * @param option its name: `--before`
 * @returns ISO 8601 in UTC, with milliseconds
 * @throws OperationError
 */
export function timeOf(option: string, value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : '';
  const found = TIME.exec(text);
  const time = new Date(text.includes('T') && found?.groups?.['offset'] === undefined ? `${text}Z` : text);
  if (found === null || Number.isNaN(time.getTime()))
    throw new OperationError(`${option} must be an ISO 8601 time such as 2030-01-02T03:04:05Z`);
  return time.toISOString();
}
