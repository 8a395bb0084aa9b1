/** null for an optional field is as good as none. */
export const isPresent = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null;

/** An object of JSON: neither null nor a list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
