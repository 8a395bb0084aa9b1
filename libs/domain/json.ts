/** Any JSON value. Everything stored or sent between processes has this type. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** An object of JSON: neither null nor a list. A value of type `Json` is then a `JsonObject`. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
