import { LOG_DAMAGED } from '#ports/event-store/port.js';
import { LOG_UNREADABLE } from '#log/troubles.js';
import { Backoff } from './backoff.js';
import { BuildBeside, type BuildAside } from './build-beside.js';
import { collectionNameOf, takeOver } from './collection.js';
import type { LiveFeed } from './feed.js';
import { UNKNOWN_EVENT_VERSION } from './handled-types.js';
import { LiveQueue } from './live-queue.js';
import type { Projection } from './projection.js';
import { TOO_MANY_PARKED } from './parking.js';
import { ProjectionRunner, RebuildNeededError, type AbsorbedTo, type ProjectionRunnerOptions } from './runner.js';
import type { ProjectionAdvance, ProjectionState, ProjectionStatus } from './status.js';

interface LiveProjectionOptions extends ProjectionRunnerOptions {
  readonly feed: LiveFeed;
  readonly buildAside?: BuildAside | undefined;
  readonly onAdvance: (advance: ProjectionAdvance) => void;
  readonly onStopped?: ((projection: string, error: Error) => void) | undefined;
  readonly now: () => number;
  /** Number of missing events from which it catches up elsewhere; default 20,000. */
  readonly farBehind?: number | undefined;
}

/** Events in one batch when it catches up beside the live ones: about 10 ms of work. */
const CATCH_UP_BATCH = 500;
const FAR_BEHIND = 20_000;
/** Age of an event in milliseconds beyond which no request waits for its projection. */
const WORTH_WAITING_MS = 500;

/** Errors after which trying again is of no use. */
const FINAL: ReadonlySet<string> = new Set([UNKNOWN_EVENT_VERSION, TOO_MANY_PARKED, LOG_DAMAGED]);
/** Milliseconds from the end of an outage within which events acknowledged during it are found again. */
const MAX_PAUSE_MS = 1_000;
/** If it is further behind than this at its start, its documents are incomplete until it has caught up. */
const MAX_BEHIND = 1_000;

/** Keeps one projection going: ready, caught up, live; again after an outage; until it is stopped. */
export class LiveProjection {
  private runner: ProjectionRunner;
  /** The rebuild that will replace the runner. */
  private beside: BuildBeside | null = null;
  /** The runner that takes over once the current step has ended. */
  private successor: ProjectionRunner | null = null;
  private state: ProjectionState = 'catching-up';
  private error: unknown = null;
  private rebuildError: unknown = null;
  /** null while unknown. */
  private complete: boolean | null = null;
  private readonly settled = Promise.withResolvers<void>();
  private queue: LiveQueue | null = null;
  /** Progress of the build elsewhere, while there is one. */
  private aside: AbsorbedTo | null = null;
  /** Ends the current step, for a rebuild or permanently. */
  private step = new AbortController();
  private closed = false;
  private dropFirst = false;
  private running: Promise<void> = Promise.resolve();
  private resume: (() => void) | null = null;

  constructor(
    readonly projection: Projection,
    private readonly options: LiveProjectionOptions,
  ) {
    this.runner = new ProjectionRunner(projection, options);
  }

  start(): void {
    this.running = this.run();
  }

  /** Resolves once it is live, known to be slow, or stopped, which its status shows. */
  get begun(): Promise<void> {
    return this.settled.promise;
  }

  get parked() {
    return this.runner.parked;
  }

  status(): ProjectionStatus {
    const { position, occurredAt } = this.beside?.progress ?? this.progress;
    const lagEvents = this.beside ? this.behind(this.beside.progress) : this.lagEvents();
    const seen = occurredAt === null ? null : Date.parse(occurredAt);
    const unread = this.state === 'live' ? this.options.feed.error : this.runner.troubles.error;
    const state = this.beside ? 'rebuilding' : this.state;
    const error = this.error ?? this.rebuildError;
    return {
      name: this.projection.name,
      version: this.projection.version,
      state: unread === null ? state : 'disconnected',
      position,
      lagEvents,
      lagSeconds: lagEvents === 0 || seen === null ? 0 : Math.max(0, (this.options.now() - seen) / 1000),
      parked: this.runner.parked.length,
      complete: this.complete ?? true,
      error: unread ?? (error as Error | null)?.message ?? null,
      errorCode: unread === null ? ((error as { code?: string } | null)?.code ?? null) : LOG_UNREADABLE,
    };
  }

  /** Reports its progress. */
  tell(): void {
    const { position, occurredAt } = this.progress;
    const late = this.queue !== null && this.queue.length > 0 && occurredAt !== null;
    const live = this.state === 'live' && !(late && this.options.now() - Date.parse(occurredAt) > WORTH_WAITING_MS);
    const stale = this.state === 'stopped' || this.state === 'disconnected';
    const complete = this.complete ?? true;
    const collection = collectionNameOf(this.projection);
    this.options.onAdvance({ collection, position: position ?? '', live, complete, stale });
  }

  /**
   * Rebuilds its documents from the start of the log: beside the live ones, which answer queries and stay current until
   * then; without live ones, in their place. Resolves once that has begun.
   */
  async rebuild(): Promise<void> {
    if (this.beside) return;
    this.rebuildError = null;
    if (this.state === 'live' || this.complete) {
      const options = { ...this.options, batchSize: CATCH_UP_BATCH };
      this.beside = new BuildBeside(this.projection, this.runner.generation, options);
      void this.succeed(this.beside);
      return;
    }
    this.dropFirst = true;
    this.state = 'rebuilding';
    this.step.abort();
    this.resume?.();
  }

  /**
   * Retries parked keys; starts a rebuild instead if retrying would break the order of ordinals.
   * @returns the number of keys that are no longer parked
   */
  async retry(key?: string): Promise<number> {
    if (this.state === 'rebuilding' || this.beside)
      throw new RangeError(`${this.projection.name} is being rebuilt: wait until it is live`);
    try {
      return await this.runner.retry(key);
    } catch (error) {
      if (error instanceof RebuildNeededError) {
        await this.rebuild();
        return 0;
      }
      // Memory may differ from the store, so the projection restarts from the store.
      this.step.abort();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    this.step.abort();
    this.resume?.();
    await this.beside?.abort();
    await this.running;
    this.settled.resolve();
  }

  private async succeed(beside: BuildBeside): Promise<void> {
    try {
      await beside.done;
      this.successor = beside.runner;
      this.state = 'rebuilding';
      this.step.abort();
      this.resume?.();
    } catch (error) {
      this.rebuildError = error;
    } finally {
      this.beside = null;
    }
  }

  private async run(): Promise<void> {
    const backoff = new Backoff(100, MAX_PAUSE_MS);
    while (!this.closed) {
      this.step = new AbortController();
      try {
        await this.prepare(this.step.signal);
        await this.catchUpAndFollow(this.step.signal, backoff);
      } catch (error) {
        if (this.step.signal.aborted) continue;
        this.fail(error);
        if (this.state === 'stopped') await new Promise<void>((resolve) => (this.resume = resolve));
        else await backoff.wait(this.step.signal);
      }
    }
    await this.runner.flush().catch(() => undefined);
  }

  private async prepare(signal: AbortSignal): Promise<void> {
    const { readStore } = this.options;
    const active = (await readStore.activeVersions()).get(collectionNameOf(this.projection));
    this.runner = this.successor ?? this.runnerOf(active);
    this.successor = null;
    await this.runner.open();
    if (this.dropFirst) await this.runner.drop();
    this.dropFirst = false;
    const { name, version } = this.runner.collection;
    if (active === undefined) await readStore.activate(name, version);
    const building = this.runner.position === null || (active !== undefined && active !== version);
    const answersItself = active === undefined || active === version;
    const behind = await this.behindHead();
    // An incomplete projection stays incomplete until it is live.
    this.complete =
      this.complete !== false && (!answersItself || (this.runner.position !== null && behind <= MAX_BEHIND));
    if (behind > MAX_BEHIND) this.settled.resolve();
    this.enter(building ? 'rebuilding' : 'catching-up');
    signal.throwIfAborted();
  }

  /** Maximum number of events of the log after its position; 0 if positions do not count events. */
  private async behindHead(): Promise<number> {
    const { eventStore } = this.options;
    if (eventStore.positions !== 'dense') return 0;
    const { position } = await eventStore.head();
    return Number(position ?? 0) - Number(this.runner.position ?? 0);
  }

  /** Continues the active generation if it belongs to this version. */
  private runnerOf(active: number | undefined): ProjectionRunner {
    const generation = active ?? 0;
    if (generation === this.runner.generation) return this.runner;
    return new ProjectionRunner(this.projection, this.options, generation);
  }

  private async catchUpAndFollow(signal: AbortSignal, backoff: Backoff): Promise<void> {
    const { feed, buildAside, readStore, farBehind = FAR_BEHIND } = this.options;
    while (!signal.aborted) {
      if (buildAside && (this.lagEvents() ?? 0) > farBehind) {
        await this.build(buildAside, signal);
        continue;
      }
      // The number of missing events is not always known beforehand.
      const more = await this.runner.catchUp(signal, CATCH_UP_BATCH, buildAside ? farBehind : Infinity);
      if (signal.aborted) return;
      if (more && buildAside) {
        await this.build(buildAside, signal);
        continue;
      }
      const queue = new LiveQueue(this.runner.types, signal);
      if (!feed.join(queue, this.runner.position)) {
        // The feed has not started, or has advanced in the meantime.
        await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      try {
        await takeOver(readStore, this.runner.collection);
        this.queue = queue;
        backoff.reset();
        this.complete = true;
        this.enter('live');
        this.settled.resolve();
        await this.follow(queue);
      } finally {
        this.queue = null;
        feed.leave(queue);
      }
      if (!signal.aborted) this.enter('catching-up');
    }
  }

  private async build(buildAside: BuildAside, signal: AbortSignal): Promise<void> {
    try {
      await buildAside(this.projection, this.runner.generation, signal, (progress) => (this.aside = progress));
    } finally {
      this.aside = null;
    }
    await this.runner.open();
  }

  /** Applies live events until the signal aborts or too many of them are waiting. */
  private async follow(queue: LiveQueue): Promise<void> {
    while (!queue.overflowed) {
      const live = await queue.next();
      if (!live) return;
      await this.runner.apply(live.events, live.place, live.passed);
      this.tell();
    }
  }

  private get progress(): AbsorbedTo {
    return this.aside ?? this.runner;
  }

  private enter(state: ProjectionState): void {
    this.state = state;
    this.error = null;
    this.tell();
  }

  private fail(error: unknown): void {
    // The error may come from another thread, where only its code survives.
    const final = FINAL.has((error as { code?: string }).code ?? '');
    this.enter(final ? 'stopped' : 'disconnected');
    this.error = error;
    if (final) this.options.onStopped?.(this.projection.name, error as Error);
    this.settled.resolve();
  }

  private lagEvents(): number | null {
    return this.queue ? this.queue.length : this.behind(this.progress);
  }

  private behind({ position }: AbsorbedTo): number | null {
    const { feed, eventStore } = this.options;
    const head = feed.position;
    if (head === null || (position !== null && position >= head)) return 0;
    return eventStore.positions === 'dense' ? Number(head) - Number(position ?? 0) : null;
  }
}
