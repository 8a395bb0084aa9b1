import type { EventReader, Position, RecordedEvent } from '#ports/event-store/port.js';
import {
  DocumentRefusedError,
  type ProjectionCheckpoint,
  type Collection,
  type ReadStore,
} from '#ports/read-store/port.js';
import { isTracing, traced } from '#primitives/tracing/index.js';
import { Troubles } from '#log/troubles.js';
import { collectionOf } from './collection.js';
import { DocumentFolding, type Folded } from './folding.js';
import { HandledTypes, UnknownEventVersionError } from './handled-types.js';
import { headOf, isOfThisLog, placeOf, type LogPlace } from './log-place.js';
import { parkedFirst, type ParkedKey } from './parked-key.js';
import { MAX_PARKED, Parking, TooManyParkedError } from './parking.js';
import type { Projection } from './projection.js';
import { totalWrites } from './totals.js';

export interface ProjectionRunnerOptions {
  readonly eventStore: EventReader;
  /** Reads history. Default: the event store. */
  readonly history?: Pick<EventReader, 'subscribe'>;
  readonly readStore: ReadStore;
  /** Called after each batch that was taken in. */
  readonly onProgress?: (progress: AbsorbedTo) => void;
}

export interface AbsorbedTo {
  /** Position up to which the log has been absorbed; null for none. */
  readonly position: Position | null;
  /** Time of the last event taken in, ISO 8601; null before the first. */
  readonly occurredAt: string | null;
}

/** Events without a change after which the checkpoint is stored anyway, so that a restart need not skip them again. */
const CHECKPOINT_EVERY = 5_000;
/** Traces that a span of a batch names. */
const MAX_LINKS = 32;

/** Applies events to one generation of one projection version. Its steps run one after another. */
export class ProjectionRunner implements AbsorbedTo {
  readonly collection: Collection;
  readonly types: HandledTypes;
  position: Position | null = null;
  occurredAt: string | null = null;
  /** Those of `catchUp`. */
  readonly troubles = new Troubles();
  private readonly folding: DocumentFolding;
  private readonly parking: Parking;
  private logId = '';
  /** Events since the last write that changed no document; the stored checkpoint lags behind `position` by them. */
  private unstored: { events: number; checkpoint: ProjectionCheckpoint } | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private retrying: ParkedKey | null = null;

  constructor(
    readonly projection: Projection,
    private readonly options: ProjectionRunnerOptions,
    /** Generation of this version of the projection. */
    readonly generation = 0,
  ) {
    const { readStore } = options;
    this.collection = collectionOf(projection, generation);
    this.types = new HandledTypes(projection.on);
    this.parking = new Parking(this.collection, readStore);
    this.folding = new DocumentFolding(projection, this.types, {
      load: (ids) => readStore.load(this.collection, ids),
      counters: (keys) => readStore.counters(this.collection, keys),
    });
  }

  /** Parked keys, in the order in which they failed. */
  get parked(): readonly ParkedKey[] {
    return [...this.folding.parked.values()].sort((a, b) => (a.position < b.position ? -1 : 1));
  }

  /**
   * Prepares the collection and finds where to continue. A checkpoint of another log, past this log's head, or of
   * another event is worthless: then everything is dropped. The same applies if only parked keys exist, as after an
   * interrupted drop: only if the documents are gone as well has another writer lost its place.
   */
  open(): Promise<void> {
    return this.exclusive(async () => {
      const { eventStore, readStore } = this.options;
      await readStore.prepare(this.collection);
      const checkpoint = await readStore.checkpoint(this.collection);
      this.logId = (await eventStore.head()).logId ?? '';
      this.position = checkpoint?.position ?? null;
      this.unstored = null;
      if (checkpoint ? !(await isOfThisLog(eventStore, checkpoint)) : await this.parking.find()) await this.clear();
      this.folding.reset(await this.parking.load());
    });
  }

  /** Removes all documents, for building them again. */
  drop(): Promise<void> {
    return this.exclusive(() => this.clear());
  }

  /**
   * Reads history up to the head. Returns early when the signal aborts.
   * @param most returns early after this many matching events as well
   * @returns whether there may be more
   * @throws UnknownEventVersionError, TooManyParkedError the projection cannot continue
   */
  async catchUp(signal: AbortSignal, batchSize: number, most = Infinity): Promise<boolean> {
    const { eventStore, history = eventStore } = this.options;
    const head = await headOf(eventStore);
    if (head === null || (this.position !== null && this.position >= head.position)) return false;
    let taken = 0;
    const messages = history.subscribe({
      after: this.position,
      filter: { types: this.types.toRead() },
      signal,
      batchSize,
      onTrouble: this.troubles.met,
    });
    for await (const message of messages) {
      this.troubles.over();
      if (message.kind === 'events') {
        await this.apply(message.events, placeOf(message.events.at(-1)!));
        taken += message.events.length;
        if (taken >= most) return true;
      }
      if (message.kind === 'caught-up') break;
    }
    // Stored even without relevant events, so that the next start need not read them again.
    if (!signal.aborted) await this.apply([], head, CHECKPOINT_EVERY);
    return signal.aborted;
  }

  /**
   * Applies all matching events between `position` and `place`.
   * @param passed number of all events there, matching or not
   * @throws UnknownEventVersionError, TooManyParkedError the projection cannot continue
   */
  apply(events: readonly RecordedEvent[], place: LogPlace, passed: number = events.length): Promise<void> {
    return this.exclusive(async () => {
      const unknown = events.find((event) => this.types.isUnknownVersion(event.type));
      if (!unknown) return this.traced(events, () => this.take(events, place, passed));
      const before = events.slice(0, events.indexOf(unknown));
      if (before.length > 0) await this.take(before, placeOf(before.at(-1)!), before.length);
      throw new UnknownEventVersionError(this.projection.name, unknown.type, unknown.position);
    });
  }

  /**
   * Retries a parked key's events in log order; without a key, all keys.
   * @returns how many keys are no longer parked
   * @throws RebuildNeededError documents would get numbers, or be counted in totals
   */
  retry(key?: string): Promise<number> {
    return this.exclusive(async () => {
      const entries = this.parked.filter((entry) => key === undefined || entry.key === key);
      for (const entry of entries) await this.replay(entry);
      return entries.filter((entry) => !this.folding.parked.has(entry.key)).length;
    });
  }

  /** Stores how far it has come. */
  flush(): Promise<void> {
    return this.exclusive(async () => {
      if (!this.unstored) return;
      await this.options.readStore.write(this.collection, { writes: [], checkpoint: this.unstored.checkpoint });
      this.unstored = null;
    });
  }

  /** In a span that is linked to the traces of the events, if they have any: history from before has none. */
  private traced(events: readonly RecordedEvent[], work: () => Promise<void>): Promise<void> {
    if (!isTracing()) return work();
    const links = new Set(events.flatMap(({ metadata }) => metadata.traceparent ?? []));
    if (links.size === 0) return work();
    const attributes = { 'anneal.projection.events': events.length };
    return traced(`project ${this.projection.name}`, { attributes, links: [...links].slice(0, MAX_LINKS) }, work);
  }

  private async take(events: readonly RecordedEvent[], place: LogPlace, passed: number): Promise<void> {
    if (this.position !== null && place.position <= this.position) return;
    const fresh = this.position === null ? events : events.filter((event) => event.position > this.position!);
    await this.absorb(fresh, this.position, { logId: this.logId, ...place }, passed);
    this.position = place.position;
    this.occurredAt = fresh.at(-1)?.metadata.occurredAt ?? this.occurredAt;
    this.options.onProgress?.(this);
  }

  /** @param checkpoint null if a parked key's events are replayed, which moves no checkpoint */
  private async absorb(
    events: readonly RecordedEvent[],
    after: Position | null,
    checkpoint: ProjectionCheckpoint | null,
    passed: number,
  ): Promise<void> {
    const folded = this.retried(await this.folding.fold(events, after));
    // A total that is past these events would not count them.
    const isCounted = this.projection.totals !== undefined && folded.writes.length > 0;
    if (checkpoint === null && (folded.counters.size > 0 || isCounted))
      throw new RebuildNeededError(this.projection.name);
    if (this.folding.parked.size + folded.parked.size > MAX_PARKED) throw new TooManyParkedError(this.projection.name);
    await this.parking.save(folded.parked.values(), this.logId);
    try {
      await this.store(folded, checkpoint, passed);
    } catch (error) {
      if (!(error instanceof DocumentRefusedError)) throw error;
      // The failing event is found by absorbing the batch one event at a time.
      if (events.length > 1) return this.absorbOneByOne(events, after, checkpoint, passed);
      await this.park(error, events[0]!, after);
      return this.absorb(events, after, checkpoint, passed);
    }
    this.folding.commit(folded);
    const { erases } = this.projection;
    if (erases && events.some(({ type }) => erases.includes(type))) await this.options.readStore.scrub(this.collection);
  }

  private async absorbOneByOne(
    events: readonly RecordedEvent[],
    after: Position | null,
    checkpoint: ProjectionCheckpoint | null,
    passed: number,
  ): Promise<void> {
    let last = after;
    for (const event of events) {
      await this.absorb([event], last, checkpoint && { logId: this.logId, ...placeOf(event) }, 1);
      last = event.position;
    }
    await this.absorb([], last, checkpoint, passed - events.length);
  }

  private async store(
    { writes, totals, counters }: Folded,
    checkpoint: ProjectionCheckpoint | null,
    passed: number,
  ): Promise<void> {
    const { readStore } = this.options;
    const to = checkpoint ?? this.unstored?.checkpoint ?? (await readStore.checkpoint(this.collection));
    if (to === null) return;
    const waiting = (this.unstored?.events ?? 0) + passed;
    if (writes.length === 0 && counters.size === 0 && waiting < CHECKPOINT_EVERY) {
      this.unstored = { events: waiting, checkpoint: to };
      return;
    }
    await readStore.write(this.collection, { first: totalWrites(totals), writes, counters, checkpoint: to });
    this.unstored = null;
  }

  private async park(error: DocumentRefusedError, event: RecordedEvent, after: Position | null): Promise<void> {
    if (this.folding.parked.has(error.id)) throw error;
    const entry = this.again(parkedFirst(error.id, event, after, error));
    await this.parking.save([entry], this.logId);
    this.folding.parked.set(error.id, entry);
  }

  private async replay(entry: ParkedKey): Promise<void> {
    const { position } = this;
    if (position === null) return;
    const events: RecordedEvent[] = [];
    const filter = { types: Object.keys(this.projection.on) };
    for await (const event of this.options.eventStore.readAll({ after: entry.after, filter })) {
      if (event.position > position) break;
      if (event.position >= entry.position && this.belongs(event, entry)) events.push(event);
    }
    this.folding.parked.delete(entry.key);
    this.retrying = entry;
    try {
      await this.absorb(events, entry.after, null, events.length);
    } catch (error) {
      this.folding.parked.set(entry.key, entry);
      throw error;
    } finally {
      this.retrying = null;
    }
    if (!this.folding.parked.has(entry.key)) await this.parking.remove(entry.key, position, this.logId);
  }

  private retried(folded: Folded): Folded {
    if (!this.retrying) return folded;
    return { ...folded, parked: new Map([...folded.parked].map(([key, entry]) => [key, this.again(entry)])) };
  }

  private again(entry: ParkedKey): ParkedKey {
    return this.retrying?.key === entry.key ? { ...entry, retries: this.retrying.retries + 1 } : entry;
  }

  private belongs(event: RecordedEvent, entry: ParkedKey): boolean {
    return this.keyOf(event) === entry.key || entry.key === `stream:${event.stream}`;
  }

  private keyOf(event: RecordedEvent): string | null {
    try {
      return this.projection.key(event);
    } catch {
      return null;
    }
  }

  private async clear(): Promise<void> {
    const { readStore } = this.options;
    await this.parking.find();
    // The collection is dropped first: without the parked keys its documents would count as complete.
    await readStore.drop(this.collection);
    await this.parking.drop();
    await readStore.prepare(this.collection);
    this.position = null;
    this.occurredAt = null;
    this.unstored = null;
    this.folding.reset([]);
  }

  private exclusive<T>(step: () => Promise<T>): Promise<T> {
    const result = this.last.then(step, step);
    this.last = result.catch(() => undefined);
    return result;
  }
}

/** A retry would number or count documents out of the log's order, which only building them again keeps. */
export class RebuildNeededError extends Error {
  override readonly name = 'RebuildNeededError';
  constructor(projection: string) {
    super(`what waits in ${projection} is numbered or counted in the order of the log: rebuild it`);
  }
}
