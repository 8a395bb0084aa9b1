import type { JsonObject } from '#domain/json.js';
import type { DocumentWrite, LoadedDocument } from '#ports/read-store/port.js';
import type { Projection } from './projection.js';

/** Totals as they are after the events of a batch, by id. */
export type ChangedTotals = Map<string, KnownTotal>;

interface KnownTotal extends LoadedDocument {
  /** What was known of other writers when it was read. */
  readonly readings: number;
}

interface Touched {
  readonly id: string;
  readonly rule: NonNullable<Projection['totals']>[number];
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

/** Totals kept in memory, so that frequent changes need no reads. */
const MAX_TOTALS = 256;

/**
 * Keeps the totals that a projection's documents count in. A total at a position counts all documents as they are there, so that an
 * event at or before it is not counted again. It is stored before them (`WriteBatch.first`): when a document is ahead of its event,
 * after an interrupted batch or because another writer was faster, so are its totals in the store.
 */
export class Totals {
  private readonly known = new Map<string, KnownTotal>();
  private readonly rules: NonNullable<Projection['totals']>;
  /** How often another writer, or an interrupted batch, was found to be ahead. */
  private readings = 0;

  constructor(
    projection: Projection,
    private readonly source: { load(ids: readonly string[]): Promise<ReadonlyMap<string, LoadedDocument>> },
    /** Ids that later documents need, to be read together. */
    private readonly ahead: () => Iterable<string>,
  ) {
    this.rules = projection.totals ?? [];
  }

  /** A document was ahead of its event: totals in memory may lack it. */
  pass(): void {
    this.readings += 1;
  }

  /** Counts a document that an event changed. A promise only if a total is not in memory. */
  count(
    before: JsonObject | null,
    after: JsonObject | null,
    position: string,
    changed: ChangedTotals,
  ): void | Promise<void> {
    if (this.rules.length === 0) return;
    const touched = this.touched(before, after);
    const count = () => {
      for (const touch of touched) this.change(touch, position, changed);
    };
    const missing = touched.filter(({ id }) => !this.isKnown(id, changed)).map(({ id }) => id);
    return missing.length === 0 ? count() : this.load(missing, changed).then(count);
  }

  /** Ids of the totals that `count` changes for the same documents. */
  ids(before: JsonObject | null, after: JsonObject | null): readonly string[] {
    return this.touched(before, after).map(({ id }) => id);
  }

  commit(changed: ChangedTotals): void {
    for (const [id, total] of changed) this.known.set(id, total);
    for (const id of this.known.keys()) {
      if (this.known.size <= MAX_TOTALS) break;
      this.known.delete(id);
    }
  }

  reset(): void {
    this.known.clear();
  }

  private isKnown(id: string, changed: ChangedTotals): boolean {
    return (changed.get(id) ?? this.known.get(id))?.readings === this.readings;
  }

  private touched(before: JsonObject | null, after: JsonObject | null): readonly Touched[] {
    const touched: Touched[] = [];
    for (const rule of this.rules) {
      if (before && after && rule.fields.every((field) => (before[field] ?? null) === (after[field] ?? null))) continue;
      const [left, entered] = [before && rule.key(before), after && rule.key(after)];
      const isSame = left === entered;
      if (left !== null) touched.push({ id: left, rule, before, after: isSame ? after : null });
      if (entered !== null && !isSame) touched.push({ id: entered, rule, before: null, after });
    }
    return touched;
  }

  private change({ id, rule, before, after }: Touched, position: string, changed: ChangedTotals): void {
    const current = changed.get(id) ?? this.known.get(id)!;
    if (position <= current.position) return;
    // It is counted in place: until the batch is stored, nothing else may take it for what is stored.
    this.known.delete(id);
    const total = current.document ?? { ...rule.empty((after ?? before)!), id };
    if (before) rule.count(total, before, -1);
    if (after) rule.count(total, after, 1);
    changed.set(id, { position, document: rule.isEmpty(total) ? null : total, readings: this.readings });
  }

  /** Reads totals that are not in memory, or may be behind the stored ones. */
  private async load(missing: readonly string[], changed: ChangedTotals): Promise<void> {
    const ids = [...new Set([...missing, ...this.ahead()])].filter((id) => !this.isKnown(id, changed));
    const loaded = await this.source.load(ids);
    for (const id of ids) {
      const stored = loaded.get(id) ?? { position: '', document: null };
      const own = changed.get(id) ?? this.known.get(id);
      const isBehind = !own || own.position < stored.position;
      if (isBehind) changed.delete(id);
      // A copy, which is counted in place.
      this.keep(id, isBehind ? structuredClone(stored) : own, changed);
    }
  }

  private keep(id: string, { position, document }: LoadedDocument, changed: ChangedTotals): void {
    const total = { position, document, readings: this.readings };
    if (changed.has(id)) changed.set(id, total);
    else this.known.set(id, total);
  }
}

/** The changed totals, to be stored before the documents. */
export const totalWrites = (changed: ChangedTotals): readonly DocumentWrite[] =>
  [...changed].map(([id, { position, document }]) => ({ id, position, document }));
