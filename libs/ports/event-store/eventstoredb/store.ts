import {
  jsonEvent,
  NO_STREAM as NOT_THERE,
  WrongExpectedVersionError,
  type AppendResult as Appended,
} from '@eventstore/db-client';
import { within } from '#primitives/waiting/within.js';
import type { AppendSample } from '../append-sample.js';
import {
  AppendOutcomeUnknownError,
  EventStoreUnavailableError,
  type LogDamagedError,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
} from '../port.js';
import type { LogFacts, LogOrigin } from '../log-created.js';
import { LogLostError } from '../log-lost.js';
import { WriteProbe } from '../write-probe.js';
import { appendError, isNotLeader, writeError } from './errors.js';
import { toSend } from './events.js';
import { ensureLog } from './log-id.js';
import type { EventMacs } from './own-events.js';
import { toPosition } from './position.js';
import { EventStoreDbSeal } from './seal.js';
import { EventStoreDbReader, type EventStoreDbReaderOptions } from './reader.js';

export interface EventStoreDbOptions extends EventStoreDbReaderOptions {
  /**
   * Longest wait for an append's answer, after which its outcome is unknown; default 3 s, one more than the server's
   * own.
   */
  readonly writeDeadlineMs?: number;
  /** Limit for reaching the server when opening; default 15 s. */
  readonly openDeadlineMs?: number;
  /** Data of the first event of a new log. */
  readonly facts?: LogFacts;
  /** Identity of a new log that is copied from elsewhere. */
  readonly origin?: LogOrigin;
  /** Stores that remember a log; if one does, no new log is created. */
  readonly remembers?: readonly string[];
  /** Called for every append that was answered, for metrics. */
  readonly onAppend?: (append: AppendSample) => void;
  /** Called with each event of others that is met. */
  readonly onDamage?: (error: LogDamagedError) => void;
}

const WRITE_DEADLINE_MS = 3_000;
const OPEN_DEADLINE_MS = 15_000;
/** Times a write is redirected to the leader. */
const REDIRECTIONS = 3;
/** Times a deletion is tried while others append. */
const DELETE_TRIES = 5;

/**
 * Opens the log of an EventStoreDB server or cluster, and creates it if there is none. Any number of processes may open
 * it. Recognizable events of other applications are skipped.
 * @throws EventStoreUnavailableError when the server cannot be reached in time
 * @throws LogLostError when it holds no log, but `remembers` shows that there was one
 * @throws RangeError when the address is invalid
 */
export async function openEventStoreDb(options: EventStoreDbOptions): Promise<EventStoreDb> {
  const store = new EventStoreDb(options);
  try {
    await store.prepare(options.openDeadlineMs ?? OPEN_DEADLINE_MS);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

export class EventStoreDb extends EventStoreDbReader implements EventStore {
  readonly seal: EventStoreDbSeal;
  private readonly deadlineMs: number;
  private macs: EventMacs | null = null;
  private readonly probe = new WriteProbe(() => this.refusesProbe());

  /** Use `openEventStoreDb`. */
  constructor(private readonly options: EventStoreDbOptions) {
    super(options);
    this.deadlineMs = options.writeDeadlineMs ?? WRITE_DEADLINE_MS;
    this.seal = new EventStoreDbSeal(this.source, (macs) => (this.macs = macs), options.onDamage);
  }

  async prepare(deadlineMs: number): Promise<void> {
    try {
      const { facts, origin, remembers } = this.options;
      this.logId = await ensureLog(this, { deadlineMs, facts, origin, remembers });
    } catch (error) {
      if (error instanceof LogLostError) throw error;
      const cause = (error as Error).message;
      throw new EventStoreUnavailableError(`EventStoreDB at ${this.address.hosts} cannot be used: ${cause}`, {
        cause: error,
      });
    }
  }

  async append(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): Promise<AppendResult> {
    const start = performance.now();
    const sample = (outcome: AppendSample['outcome']) => {
      this.probe.wrote(outcome);
      this.options.onAppend?.({ events: events.length, ms: performance.now() - start, outcome });
    };
    const toAppend = toSend(stream, expected, events, this.macs);
    try {
      await this.own?.requireWhole();
      const expectedRevision = expected.kind === 'exact' ? BigInt(expected.revision) : NOT_THERE;
      const appended = await this.write((deadline) =>
        this.client.appendToStream(stream, toAppend, { expectedRevision, requiresLeader: true, deadline }),
      );
      const revision = Number(appended.nextExpectedRevision);
      const result = { revision, position: await this.positionOf(stream, revision, appended) };
      const last = events.at(-1);
      if (last) this.saw({ ...result, id: last.id });
      sample('stored');
      return result;
    } catch (error) {
      const failure = appendError(error, stream, expected);
      sample(outcomeOf(failure));
      throw failure;
    }
  }

  /**
   * Tombstones the stream: of a stream that is merely deleted, the server keeps the last event, content included,
   * through every scavenge.
   */
  async deleteStream(stream: string): Promise<void> {
    await this.own?.requireWhole();
    for (let left = DELETE_TRIES; ; left -= 1) {
      // The server accepts the deletion of a missing stream silently.
      const [last] = await Array.fromAsync(this.readStream(stream, { direction: 'backwards', limit: 1 }));
      const expectedRevision = BigInt(last?.revision ?? 0);
      try {
        await this.write((deadline) =>
          this.client.tombstoneStream(stream, { expectedRevision, requiresLeader: true, deadline }),
        );
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedVersionError) || left === 0) throw writeError(error, stream);
      }
    }
  }

  async takesWrites(): Promise<boolean> {
    try {
      await this.own?.requireWhole();
    } catch {
      return false;
    }
    return this.probe.takesWrites();
  }

  private get own(): typeof this.source.admission.own {
    return this.source.admission.own;
  }

  /** The leader's writer refuses an expectation that no stream meets, and writes nothing. A server without room ends itself. */
  private async refusesProbe(): Promise<boolean> {
    const options = { expectedRevision: UNMET_REVISION, requiresLeader: true };
    try {
      const event = jsonEvent({ type: PROBE, data: {} });
      await this.write((deadline) => this.client.appendToStream(PROBE, event, { ...options, deadline }));
      return true;
    } catch (error) {
      return error instanceof WrongExpectedVersionError;
    }
  }

  /** A call to the node that leads, with its deadline, which holds for finding the node as well. */
  private async write<T>(call: (deadlineMs: number) => Promise<T>): Promise<T> {
    const end = performance.now() + this.deadlineMs;
    for (let left = REDIRECTIONS; ; left -= 1) {
      try {
        return await inTime(end - performance.now(), call(Math.max(1, end - performance.now())));
      } catch (error) {
        if (left === 0 || !isNotLeader(error)) throw error;
      }
    }
  }

  /** The answer to a repeated append may lack the position. */
  private async positionOf(stream: string, revision: number, { position }: Appended): Promise<Position> {
    if (position && position.commit > 0n) return toPosition(position);
    const [last] = await Array.fromAsync(this.readStream(stream, { fromRevision: revision, limit: 1 }));
    if (last?.revision !== revision) throw new Error('it is stored, and cannot be read');
    return last.position;
  }
}

const PROBE = 'write-probe';
const UNMET_REVISION = 2n ** 40n;

const outcomeOf = (error: Error): AppendSample['outcome'] => {
  if (error instanceof WrongExpectedRevisionError) return 'wrong-revision';
  if (error instanceof AppendOutcomeUnknownError) return 'unknown';
  return error instanceof EventStoreUnavailableError ? 'unavailable' : 'refused';
};

/** The call's own deadline should end it first. */
const GRACE_MS = 250;

const inTime = <T>(ms: number, call: Promise<T>): Promise<T> =>
  within(ms + GRACE_MS, call, () => new Error(`no answer in ${Math.round(ms)} ms`));
