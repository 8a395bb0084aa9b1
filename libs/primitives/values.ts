/** null for an optional field is as good as none. */
export const isPresent = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null;

export { isRecord } from '#domain/json.js';

/** Whether all strings in a value are well-formed Unicode: tokenizers accept no others. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
}
