import type { Json, JsonObject } from '#domain/json.js';
import type { Projection } from './projection.js';

export type OrdinalCounters = Map<string, number>;

/** Counters kept in memory. Each is stored with the documents that it numbered. */
const MAX_COUNTERS = 20_000;

/** Gives documents their dense numbers. */
export class Ordinals {
  private readonly last = new Map<string, number>();
  private readonly ordinals: NonNullable<Projection['ordinals']>;

  constructor(
    projection: Projection,
    private readonly source: { counters(keys: readonly string[]): Promise<ReadonlyMap<string, number>> },
    /** Keys that later documents need, to be read together. */
    private readonly ahead: () => Iterable<string>,
  ) {
    this.ordinals = projection.ordinals ?? [];
  }

  /**
   * Asserts that a document with an ordinal is never removed or renumbered, on which `pass` relies.
   * @throws TypeError
   */
  assertKept(next: JsonObject | null, previous: JsonObject | null): void {
    if (this.ordinals.length === 0 || previous === null) return;
    if (next === null) throw new TypeError('a projection with ordinals removes no documents');
    for (const { field, within } of this.ordinals) {
      if (typeof previous[field] !== 'number') continue;
      const changed = within.find((name) => (next[name] ?? null) !== (previous[name] ?? null));
      if (changed !== undefined)
        throw new TypeError(`${changed} may not change: the document's ${field} counts within it`);
    }
  }

  /**
   * Counts the numbers of a document whose event is skipped because the stored document has seen it already, in a batch
   * that was interrupted before its counters were stored. Numbers are dense and given in log order, so document n is
   * the one that follows after n - 1 were counted. If it gets its number by a later event than this one, no other
   * document of that scope gets one in between, so counting it now is harmless.
   */
  pass(stored: JsonObject | null, counters: OrdinalCounters): void | Promise<void> {
    if (this.ordinals.length === 0 || stored === null) return;
    const numbers: { readonly key: string; readonly number: number }[] = [];
    for (const { field, within } of this.ordinals) {
      const number = stored[field];
      if (typeof number === 'number') numbers.push({ key: keyOf(field, within, stored), number });
    }
    const count = () => {
      for (const { key, number } of numbers)
        if ((counters.get(key) ?? this.last.get(key) ?? 0) === number - 1) counters.set(key, number);
    };
    return this.after(numbers, counters, count);
  }

  /** Keys of the counters that `number` needs for the same documents. */
  keys(next: JsonObject, previous: JsonObject | null): readonly string[] {
    return this.wanted(next, previous).map(({ key }) => key);
  }

  /**
   * The document with its former numbers and the new ones, which are counted in `counters`. A promise only if a counter
   * is not in memory.
   */
  number(next: JsonObject, previous: JsonObject | null, counters: OrdinalCounters): JsonObject | Promise<JsonObject> {
    if (this.ordinals.length === 0) return next;
    const given: Record<string, Json> = {};
    for (const { field } of this.ordinals) if (typeof previous?.[field] === 'number') given[field] = previous[field];
    const wanted = this.wanted(next, previous);
    const give = () => {
      for (const { field, key } of wanted) {
        const number = (counters.get(key) ?? this.last.get(key) ?? 0) + 1;
        counters.set(key, number);
        given[field] = number;
      }
      return { ...next, ...given };
    };
    return this.after(wanted, counters, give);
  }

  commit(counters: ReadonlyMap<string, number>): void {
    for (const [key, value] of counters) this.last.set(key, value);
    if (this.last.size > MAX_COUNTERS) this.last.clear();
  }

  reset(): void {
    this.last.clear();
  }

  /** The numbers that a document has not, and gets with this change. */
  private wanted(
    next: JsonObject,
    previous: JsonObject | null,
  ): readonly { readonly field: string; readonly key: string }[] {
    return this.ordinals
      .filter(({ field }) => typeof previous?.[field] !== 'number')
      .filter(({ within }) => within.every((name) => (next[name] ?? null) !== null))
      .map(({ field, within }) => ({ field, key: keyOf(field, within, next) }));
  }

  /** Takes a step once the counters that it needs are in memory. */
  private after<T>(
    wanted: readonly { readonly key: string }[],
    counters: OrdinalCounters,
    step: () => T,
  ): T | Promise<T> {
    const missing = wanted.filter(({ key }) => !counters.has(key) && !this.last.has(key));
    return missing.length === 0 ? step() : this.load(missing.map(({ key }) => key)).then(step);
  }

  private async load(missing: readonly string[]): Promise<void> {
    const keys = [...new Set([...missing, ...this.ahead()])].filter((key) => !this.last.has(key));
    const stored = await this.source.counters(keys);
    for (const key of keys) this.last.set(key, stored.get(key) ?? 0);
  }
}

const keyOf = (field: string, within: readonly string[], document: JsonObject): string =>
  `${field}:${JSON.stringify(within.map((name) => document[name] ?? null))}`;
