import type { Json, JsonObject } from '#domain/json.js';
import type { Projection } from './projection.js';

export type Counters = Map<string, number>;

/** Counters kept in memory. Each is stored with the documents that it numbered. */
const MOST_COUNTERS = 20_000;

/** Gives documents their dense numbers. */
export class Ordinals {
  private readonly last = new Map<string, number>();
  private readonly ordinals: NonNullable<Projection['ordinals']>;

  constructor(
    projection: Projection,
    private readonly source: { counters(keys: readonly string[]): Promise<ReadonlyMap<string, number>> },
  ) {
    this.ordinals = projection.ordinals ?? [];
  }

  /**
   * The document with the numbers it had, and those it now gets; these are counted in `counters`. A promise only where a
   * counter is not in memory.
   */
  number(next: JsonObject, previous: JsonObject | null, counters: Counters): JsonObject | Promise<JsonObject> {
    if (this.ordinals.length === 0) return next;
    const given: Record<string, Json> = {};
    const wanted: { readonly field: string; readonly key: string }[] = [];
    for (const { field, within } of this.ordinals) {
      const had = previous?.[field];
      if (typeof had === 'number') given[field] = had;
      else {
        const scope = within.map((name) => next[name] ?? null);
        if (!scope.includes(null)) wanted.push({ field, key: `${field}:${JSON.stringify(scope)}` });
      }
    }
    const give = () => {
      for (const { field, key } of wanted) {
        const number = (counters.get(key) ?? this.last.get(key) ?? 0) + 1;
        counters.set(key, number);
        given[field] = number;
      }
      return { ...next, ...given };
    };
    const missing = wanted.filter(({ key }) => !counters.has(key) && !this.last.has(key));
    return missing.length === 0 ? give() : this.load(missing.map(({ key }) => key)).then(give);
  }

  commit(counters: ReadonlyMap<string, number>): void {
    for (const [key, value] of counters) this.last.set(key, value);
    if (this.last.size > MOST_COUNTERS) this.last.clear();
  }

  reset(): void {
    this.last.clear();
  }

  private async load(keys: readonly string[]): Promise<void> {
    const stored = await this.source.counters(keys);
    for (const key of keys) this.last.set(key, stored.get(key) ?? 0);
  }
}
