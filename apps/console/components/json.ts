export type Fields = Readonly<Record<string, unknown>>;

/** JSON as a person wrote it and the API takes it. */
export type Json = Record<string, unknown> | unknown[] | string | number | boolean | null;

export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const json = (value: unknown): string => JSON.stringify(value, null, 2);
