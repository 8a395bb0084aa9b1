/** null for an optional field is as good as none. */
export const isPresent = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null;

export { isRecord } from '#domain/json.js';
