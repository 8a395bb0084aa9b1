import type { JsonObject } from '#domain/json.js';
import type { Position, RecordedEvent } from '#ports/event-store/port.js';
import type { DocumentWrite, LoadedDocument } from '#ports/read-store/port.js';
import type { HandledTypes } from './handled-types.js';
import { evolve } from './handlers.js';
import { Ordinals, type OrdinalCounters } from './ordinals.js';
import { parkedFirst, type ParkedKey } from './parked-key.js';
import type { Projection } from './projection.js';
import { Totals, type ChangedTotals } from './totals.js';

/** The outcome of a batch of events. Takes effect only with `Folding.commit`. */
export interface Folded {
  /** A single write per changed document, however many events changed it. */
  readonly writes: readonly DocumentWrite[];
  /** Those of documents that were there before: these are likely to change again. */
  readonly changedAgain: readonly DocumentWrite[];
  /** Totals that these documents changed, to be stored before them. */
  readonly totals: ChangedTotals;
  readonly counters: ReadonlyMap<string, number>;
  /** Keys that were parked by this batch, or had more events to wait for. */
  readonly parked: ReadonlyMap<string, ParkedKey>;
}

/** Loads the documents and counters that are not in memory. */
interface FoldingSource {
  load(ids: readonly string[]): Promise<ReadonlyMap<string, LoadedDocument>>;
  counters(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** Documents cached in memory, so that frequent changes need no reads. */
const MAX_DOCUMENTS = 256;
const NOTHING_AHEAD = (): Ahead => ({ counters: [], totals: [] });
const ABSENT: LoadedDocument = { position: '', document: null };

/** Folds events into documents: in log order, each document's events over its last position only. */
export class DocumentFolding {
  parked = new Map<string, ParkedKey>();
  private readonly documents = new Map<string, LoadedDocument>();
  private readonly ordinals: Ordinals;
  private readonly totals: Totals;
  /** What the present batch counts in. */
  private ahead: () => Ahead = NOTHING_AHEAD;

  constructor(
    private readonly projection: Projection,
    private readonly types: HandledTypes,
    private readonly source: FoldingSource,
  ) {
    this.ordinals = new Ordinals(projection, source, () => this.ahead().counters);
    this.totals = new Totals(projection, source, () => this.ahead().totals);
  }

  /** @param after position before the first of these events; null for the start of the log */
  async fold(events: readonly RecordedEvent[], after: Position | null): Promise<Folded> {
    const keyed = this.keyed(events, after);
    const before = await this.load(keyed);
    let ahead: Ahead | undefined;
    this.ahead = () => (ahead ??= this.lookAhead(keyed, before));
    const changed = new Map<string, LoadedDocument>();
    const counters: OrdinalCounters = new Map();
    const totals: ChangedTotals = new Map();
    const parked = new Map<string, ParkedKey>();
    for (const entry of keyed) {
      const { event, key } = entry;
      const waiting = parked.get(key) ?? this.parked.get(key);
      // Events before the failed one may recur if a crash prevented their storing.
      if (waiting && event.position >= waiting.position) {
        if (event.position > waiting.last)
          parked.set(key, { ...waiting, last: event.position, events: waiting.events + 1 });
        continue;
      }
      const current = changed.get(key) ?? before.get(key) ?? ABSENT;
      if (event.position <= current.position) {
        const passed = this.ordinals.pass(current.document, counters);
        if (passed) await passed;
        this.totals.pass();
        continue;
      }
      let next: JsonObject | null;
      try {
        if ('error' in entry) throw entry.error;
        next = evolve(this.projection.on, current.document, event);
        this.ordinals.assertKept(next, current.document);
      } catch (error) {
        parked.set(key, parkedFirst(key, event, entry.after, error));
        continue;
      }
      if (next === current.document) continue;
      if (next !== null) {
        const numbered = this.ordinals.number(next, current.document, counters);
        next = numbered instanceof Promise ? await numbered : numbered;
      }
      changed.set(key, { position: event.position, document: next });
      const counted = this.totals.count(current.document, next, event.position, totals);
      if (counted) await counted;
    }
    this.ahead = NOTHING_AHEAD;
    const writes = [...changed].map(([id, { position, document }]) => ({ id, position, document }));
    return { writes, changedAgain: writes.filter(({ id }) => before.has(id)), totals, counters, parked };
  }

  /** Adopts the stored writes. */
  commit({ changedAgain, totals, counters, parked }: Folded): void {
    for (const [key, entry] of parked) this.parked.set(key, entry);
    this.ordinals.commit(counters);
    this.totals.commit(totals);
    for (const { id, position, document } of changedAgain) {
      this.documents.delete(id);
      this.documents.set(id, { position, document });
    }
    for (const id of this.documents.keys()) {
      if (this.documents.size <= MAX_DOCUMENTS) break;
      this.documents.delete(id);
    }
  }

  /** Clears the memory, which may differ from the store. */
  reset(parked: Iterable<ParkedKey>): void {
    this.parked = new Map(Array.from(parked, (entry) => [entry.key, entry]));
    this.documents.clear();
    this.ordinals.reset();
    this.totals.reset();
  }

  private keyed(events: readonly RecordedEvent[], after: Position | null): readonly KeyedEvent[] {
    const keyed: KeyedEvent[] = [];
    let last = after;
    for (const event of events) {
      if (this.types.has(event.type)) {
        try {
          const key = this.projection.key(event);
          if (key !== null) keyed.push({ event, key, after: last });
        } catch (error) {
          // The key is unknown, so the stream's name stands in for it.
          keyed.push({ event, key: `stream:${event.stream}`, after: last, error });
        }
      }
      last = event.position;
    }
    return keyed;
  }

  /**
   * The counters and totals that a batch needs, read at once as soon as one is not in memory: asked for by one event after another, a
   * store across a network would set the pace. To know them, the handlers are called once more, and what they return is dropped.
   */
  private lookAhead(keyed: readonly KeyedEvent[], before: ReadonlyMap<string, LoadedDocument>): Ahead {
    const [counters, totals] = [new Set<string>(), new Set<string>()];
    const changed = new Map<string, JsonObject | null>();
    for (const entry of keyed) {
      const { event, key } = entry;
      const stored = before.get(key) ?? ABSENT;
      if ('error' in entry || this.parked.has(key) || event.position <= stored.position) continue;
      const current = changed.has(key) ? changed.get(key)! : stored.document;
      try {
        const next = evolve(this.projection.on, current, event);
        if (next === current) continue;
        if (next !== null) for (const counter of this.ordinals.keys(next, current)) counters.add(counter);
        for (const total of this.totals.ids(current, next)) totals.add(total);
        changed.set(key, next);
      } catch {
        // It throws again, and is parked, when its turn comes.
      }
    }
    return { counters, totals };
  }

  private async load(keyed: readonly KeyedEvent[]): Promise<ReadonlyMap<string, LoadedDocument>> {
    const before = new Map<string, LoadedDocument>();
    const missing = new Set<string>();
    for (const { key } of keyed) {
      const document = this.documents.get(key);
      if (document) before.set(key, document);
      else missing.add(key);
    }
    if (missing.size === 0) return before;
    const loaded = await this.source.load([...missing]);
    for (const [id, document] of loaded) before.set(id, document);
    return before;
  }
}

interface Ahead {
  readonly counters: Iterable<string>;
  readonly totals: Iterable<string>;
}

interface KeyedEvent {
  readonly event: RecordedEvent;
  readonly key: string;
  /** The position after which reading meets this event again. */
  readonly after: Position | null;
  /** The error that `key` threw. */
  readonly error?: unknown;
}
