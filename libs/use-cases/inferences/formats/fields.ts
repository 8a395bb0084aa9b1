import { InvalidError } from '#domain/errors.js';
import type { Json, JsonObject } from '#domain/json.js';
import { isPresent } from '#primitives/values.js';

/** Seconds since 1970 are smaller, milliseconds larger. */
const MIN_MILLISECONDS = 100_000_000_000;

/**
 * The fields of a row of another system's export, each known by one or several names. A field that is taken leaves the rest; one
 * that has another type than expected stays there.
 */
export class Fields {
  private readonly left: Map<string, Json>;

  constructor(row: JsonObject) {
    this.left = new Map(Object.entries(row).filter((entry): entry is [string, Json] => isPresent(entry[1])));
  }

  /** A text that is not empty; a number as text. */
  text(...names: readonly string[]): string | null {
    return this.take(names, (value) =>
      typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : null,
    );
  }

  /** A number that is not negative, also one that a table has as text. */
  amount(...names: readonly string[]): number | null {
    return this.take(names, (value) => {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
    });
  }

  count(...names: readonly string[]): number | null {
    return this.take(names, (value) => {
      const number = Number(value);
      return typeof value !== 'boolean' && value !== '' && Number.isInteger(number) && number >= 0 ? number : null;
    });
  }

  /** ISO 8601; also from seconds or milliseconds since 1970. */
  time(...names: readonly string[]): string | null {
    return this.take(names, (value) => {
      if (typeof value === 'string' && value !== '') return value;
      if (typeof value !== 'number') return null;
      const time = new Date(value < MIN_MILLISECONDS ? value * 1000 : value);
      return Number.isNaN(time.getTime()) ? null : time.toISOString();
    });
  }

  /** Any value that is not empty; the JSON in a text that is a list or an object. */
  json(...names: readonly string[]): Json {
    return this.take(names, (value) => (isEmpty(parsed(value)) ? null : parsed(value)));
  }

  object(...names: readonly string[]): JsonObject | null {
    return this.take(names, (value) => asObject(parsed(value)));
  }

  /** Removes fields that must not be kept. */
  drop(...names: readonly string[]): void {
    for (const name of names) this.left.delete(name);
  }

  /** The fields that nobody took; empty texts, lists and objects say nothing. */
  rest(): JsonObject {
    return Object.fromEntries([...this.left].filter(([, value]) => !isEmpty(value)));
  }

  private take<T>(names: readonly string[], read: (value: Json) => T | null): T | null {
    for (const name of names) {
      const value = this.left.get(name);
      const taken = value === undefined ? null : read(value);
      if (taken === null) continue;
      this.left.delete(name);
      return taken;
    }
    return null;
  }
}

/** @throws InvalidError naming the field of the export's row */
export function required<T>(value: T | null, name: string, hint?: string): T {
  if (value !== null) return value;
  const message = `is required${hint === undefined ? '' : `: ${hint}`}`;
  throw new InvalidError({ path: ['body', name], message, type: 'missing' });
}

/** Milliseconds between two times; null if one is unknown. */
export function between(begun: string | null, ended: string | null): number | null {
  const elapsed = begun === null || ended === null ? NaN : utc(ended) - utc(begun);
  return elapsed >= 0 ? elapsed : null;
}

/** A time without a zone is of UTC. */
const utc = (time: string): number =>
  Date.parse(/^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(time) ? `${time.replace(' ', 'T')}Z` : time);

/** The JSON in a text that begins as a list or an object; some tables have its quotes doubled twice. */
export function parsed(value: Json): Json {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  for (const text of [value, value.replaceAll('""', '"')])
    try {
      return JSON.parse(text) as Json;
    } catch {
      continue;
    }
  return value;
}

export const asObject = (value: Json | undefined): JsonObject | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;

export const asList = (value: Json | undefined): readonly Json[] | null =>
  Array.isArray(value) ? (value as readonly Json[]) : null;

const isEmpty = (value: Json): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
