import type { EventReader, Position, RecordedEvent } from '#ports/event-store/port.js';
import { comesWithCalls } from '#domain/inference/index.js';
import { Pace } from '#primitives/waiting/pace.js';
import { Backoff } from '#log/projector/backoff.js';
import { Troubles } from '#log/troubles.js';
import type { Mark, ProcessManager } from './process-manager.js';
import { RunningManager, type ProcessManagerStatus } from './running-manager.js';

export interface ProcessManagerHostOptions {
  readonly eventStore: Pick<EventReader, 'subscribe'>;
  readonly managers: readonly ProcessManager<unknown, unknown>[];
  /** The place behind which they begin to read. Default: the log's start. */
  readonly after?: () => Promise<Position | null>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Called with a reason for which the log could not be read repeatedly. */
  readonly onTrouble?: (error: Error) => void;
  /** Calls `tick` periodically until the returned function stops it. Default: once a second. */
  readonly timer?: (tick: () => void) => () => void;
}

const TICK_MS = 1_000;
/** Polls of the log per second under load; each costs as much as a few events. */
const LOOKS_PER_SECOND = 50;
const BURST = 20;
/** Of calls, no manager acts within seconds. */
const LOOKS_FOR_CALLS_PER_SECOND = 2;

/**
 * Runs process managers. They read the log together; once caught up, pending commands run after live
 * events, when a command has ended, and on a timer.
 */
export class ProcessManagerHost {
  private readonly managers: readonly RunningManager[];
  private readonly closing = new AbortController();
  /** undefined: it is not known yet where to begin. */
  private position: Position | null | undefined;
  private readonly troubles: Troubles;
  private following: Promise<void> = Promise.resolve();
  private stopTimer: () => void = () => undefined;

  constructor(private readonly options: ProcessManagerHostOptions) {
    const { managers, now = Date.now, onTrouble } = options;
    this.troubles = new Troubles(onTrouble);
    this.managers = managers.map((manager) => new RunningManager(manager, now, this.closing.signal));
  }

  start(): this {
    const { timer = everySecond } = this.options;
    this.stopTimer = timer(() => this.managers.forEach((manager) => manager.work()));
    this.following = this.follow();
    return this;
  }

  status(): readonly ProcessManagerStatus[] {
    return this.managers.map((manager) => manager.status(this.position ?? null, this.troubles.error));
  }

  /** By manager, up to where nothing is pending any more, as far as is known. */
  settled(): ReadonlyMap<string, Mark> {
    return new Map(
      this.managers.flatMap((running) => {
        const mark = running.settled();
        return mark ? [[running.manager.name, mark] as const] : [];
      }),
    );
  }

  /** Starts no more commands; resolves when the running ones have ended. */
  async close(): Promise<void> {
    this.stopTimer();
    this.closing.abort();
    await Promise.all([this.following, ...this.managers.map((manager) => manager.drained())]);
  }

  private async follow(): Promise<void> {
    const { signal } = this.closing;
    const backoff = new Backoff();
    while (!signal.aborted) {
      try {
        await this.read(() => backoff.reset());
      } catch (error) {
        this.troubles.met(error as Error);
        await backoff.wait(signal);
      }
    }
  }

  private async read(alive: () => void): Promise<void> {
    if (this.position === undefined) this.position = (await this.options.after?.()) ?? null;
    const types = [...new Set(this.managers.flatMap((manager) => manager.types.toRead()))];
    const { signal } = this.closing;
    const pace = new Pace(LOOKS_PER_SECOND, BURST);
    const forCalls = new Pace(LOOKS_FOR_CALLS_PER_SECOND, 1);
    let isCaughtUp = false;
    const messages = this.options.eventStore.subscribe({
      after: this.position,
      filter: { types },
      signal,
      onTrouble: this.troubles.met,
      notBefore: (type) => (comesWithCalls(type) ? forCalls : pace).next,
    });
    for await (const message of messages) {
      alive();
      this.troubles.over();
      if (message.kind === 'caught-up') {
        isCaughtUp = true;
        this.managers.forEach((manager) => manager.goLive());
      }
      if (message.kind === 'checkpoint') this.position = message.position;
      if (message.kind === 'events') this.see(message.events);
      // Pages of history are full, so that waiting would not make them fewer.
      if (!isCaughtUp) continue;
      pace.step();
      forCalls.step();
    }
  }

  private see(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      for (const manager of this.managers) manager.see(event);
      this.position = event.position;
    }
  }
}

function everySecond(tick: () => void): () => void {
  const interval = setInterval(tick, TICK_MS);
  interval.unref();
  return () => clearInterval(interval);
}
