import { statfs } from 'node:fs/promises';
import {
  startThread,
  ThreadCallError,
  ThreadStoppedError,
  type GroupSample,
  type ServiceToStart,
  type Thread,
} from '#primitives/thread/thread.js';
import {
  AppendOutcomeUnknownError,
  EventStoreUnavailableError,
  LogDamagedError,
  NO_STREAM,
  StreamNotFoundError,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type HeldEvent,
  type HeldEvents,
} from '../port.js';
import type { LogSeal } from '../seal.js';
import type { StoredEvent } from '../stored-event.js';
import type { ObjectStoreAddress } from '#ports/object-store/open.js';
import type { AppendSample } from '../append-sample.js';
import type { LogFacts, LogOrigin } from '../log-created.js';
import { LOG_LOST, LogLostError } from '../log-lost.js';
import { WriteProbe } from '../write-probe.js';
import { LOG_UNUSABLE, LogUnusableError, type Durability } from './database.js';
import { FOLDER_IN_USE, FolderInUseError } from './lock.js';
import { flatten } from './flatten.js';
import { LOG_SERVICE, logService } from './log-service.js';
import { Packer } from '#primitives/packing/index.js';
import { fromPosition, toPosition } from './position.js';
import { SqliteEventReader } from './reader.js';
import type { ArchivedTexts, Write, WriteAnswer } from './writes.js';

interface SqliteEventStoreOptions {
  /** The data folder; made when missing. */
  readonly directory: string;
  /** The object store that has archived events; absent: there are none. */
  readonly archive?: ObjectStoreAddress | undefined;
  /** Default `full`. */
  readonly durability?: Durability;
  /** Data of the first event of a new log. */
  readonly facts?: LogFacts;
  /** Identity of a new log that is copied from elsewhere. */
  readonly origin?: LogOrigin;
  /** Files and folders that are created only after a log: if one exists without the log, the log was lost. */
  readonly traces?: readonly string[];
  /** Other files whose existence proves that a log was here. */
  readonly remembers?: readonly string[];
  /** Called for every append that was answered, for metrics. */
  readonly onAppend?: (append: AppendSample) => void;
  /** Called for every group of calls that the store thread answered together, of any service, for metrics. */
  readonly onGroup?: (group: GroupSample) => void;
  /** Called with each damage that a read finds. */
  readonly onDamage?: (error: LogDamagedError) => void;
  /** Called when the store thread ends without having been closed: further writes fail. */
  readonly onFailure?: (error: Error) => void;
}

/**
 * Opens the log of a data folder for reading and writing, with the store thread of its own; `services` run in that
 * thread beside it (`store.thread` calls them).
 * @throws FolderInUseError when another process has the folder
 * @throws LogUnusableError when the log is damaged, not readable, or of another release
 * @throws LogLostError when there is none, but `traces` show that there was one
 */
export async function openSqliteEventStore(
  options: SqliteEventStoreOptions,
  services: readonly ServiceToStart[] = [],
): Promise<SqliteEventStore> {
  const { directory, durability = 'full', facts, origin, traces, remembers } = options;
  const log = logService({ directory, durability, newLog: { facts, origin }, traces, remembers });
  const thread = await startStoreThread([log, ...services], options);
  try {
    return new SqliteEventStore(thread, options);
  } catch (error) {
    await thread.close();
    throw error;
  }
}

async function startStoreThread(
  services: readonly ServiceToStart[],
  { directory, onGroup, onFailure }: SqliteEventStoreOptions,
): Promise<Thread> {
  try {
    return await startThread(services, { name: 'store', ...(onGroup && { onGroup }), ...(onFailure && { onFailure }) });
  } catch (error) {
    if (!(error instanceof ThreadCallError)) throw error;
    if (error.code === FOLDER_IN_USE) throw new FolderInUseError(directory);
    if (error.code === LOG_LOST) throw new LogLostError(error.message, { cause: error });
    throw error.code === LOG_UNUSABLE ? new LogUnusableError(error.message, { cause: error }) : error;
  }
}

/** Room for the largest append and its index pages. A smaller one may still fit into the files' free pages. */
const MIN_ROOM_BYTES = 2 * 1024 * 1024;

/** Times that a text is counted before the log keeps it once, for all events, in one event of so many. */
const COUNTED = { times: 4, oneOf: 7 };

/** Reads here, over a connection of its own; writes in the store thread. */
export class SqliteEventStore extends SqliteEventReader implements EventStore {
  private readonly probe = new WriteProbe(async () => {
    const answer = await this.write('probe', []);
    return typeof answer !== 'number' && answer.kind === 'probed';
  });

  readonly seal: LogSeal = {
    inspect: async (keys) => {
      const answer = await this.write('inspect-seal', [keys]);
      if (typeof answer === 'number' || answer.kind !== 'inspected') throw asError(answer, 'the seal');
      return answer.state;
    },
    begin: (keys) => this.sealing('begin-seal', keys),
    check: async () => {
      const answer = await this.write('check-seal', []);
      if (typeof answer === 'number' || answer.kind !== 'checked') throw asError(answer, 'the seal');
      return toPosition(answer.position);
    },
    cover: (position) => this.sealing('cover', fromPosition(position)),
  };

  private readonly packer = new Packer(COUNTED);
  private isLearning = false;
  readonly held: HeldEvents = {
    hold: (events) => this.hold(events),
    all: async () => this.pages.heldEvents(),
  };

  /** Use `openSqliteEventStore`. @param thread runs `logService` for the same folder, and is closed with the store */
  constructor(
    readonly thread: Thread,
    private readonly options: SqliteEventStoreOptions,
  ) {
    super(options.directory, options.archive, options.onDamage);
    const known = this.pages.knownTexts();
    this.packer.learn([...known.values()], [...known.keys()]);
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
    inPlaceOf: readonly string[] = [],
  ): Promise<AppendResult> {
    const start = performance.now();
    const lastRevision = expected.kind === 'exact' ? expected.revision : -1;
    const flat = flatten(stream, expected, events, this.packer);
    const answer = await this.write(
      'append',
      inPlaceOf.length === 0 ? [stream, lastRevision, flat] : [stream, lastRevision, flat, inPlaceOf],
    );
    const outcome = outcomeOf(answer);
    this.probe.wrote(outcome);
    void this.learn();
    this.options.onAppend?.({ events: events.length, ms: performance.now() - start, outcome });
    if (typeof answer !== 'number') throw asError(answer, stream, expected);
    return { revision: lastRevision + events.length, position: toPosition(answer) };
  }

  private async hold(events: readonly HeldEvent[]): Promise<void> {
    const start = performance.now();
    const streams = events.map(({ stream }) => stream);
    const [stream = ''] = streams;
    const answer = await this.write('hold', [streams, flatten(stream, NO_STREAM, events, this.packer)]);
    const outcome = outcomeOf(answer);
    this.probe.wrote(outcome);
    this.options.onAppend?.({ events: events.length, ms: performance.now() - start, outcome });
    if (typeof answer === 'number' || answer.kind !== 'held') throw asError(answer, stream);
  }

  async deleteStream(stream: string): Promise<void> {
    const answer = await this.write('delete', [stream]);
    if (typeof answer === 'number' || answer.kind !== 'deleted') throw asError(answer, stream);
  }

  async archive(segment: string, events: readonly StoredEvent[]): Promise<number> {
    if (this.options.archive === undefined)
      throw new EventStoreUnavailableError('this log was opened without an archive');
    const texts = events.map(({ position, data, metadata }): ArchivedTexts => [fromPosition(position), data, metadata]);
    const answer = await this.write('archive', [segment, texts]);
    if (typeof answer === 'number' || answer.kind !== 'archived') throw asError(answer, segment);
    return answer.events;
  }

  async takesWrites(): Promise<boolean> {
    return (await hasRoom(this.options.directory)) && this.probe.takesWrites();
  }

  override async close(): Promise<void> {
    await super.close();
    await this.thread.close();
  }

  /** Stores texts that events to come refer to. Those of a write that fails are asked for again. */
  private async learn(): Promise<void> {
    if (this.isLearning) return;
    const texts = this.packer.takeWanted();
    if (texts.length === 0) return;
    this.isLearning = true;
    const answer = await this.write('learn', [texts]).catch(() => null);
    if (answer !== null && typeof answer !== 'number' && answer.kind === 'learned')
      this.packer.learn(texts, answer.ids);
    this.isLearning = false;
  }

  private async sealing(method: 'begin-seal' | 'cover', argument: unknown): Promise<void> {
    const answer = await this.write(method, [argument]);
    if (typeof answer === 'number' || answer.kind !== 'sealed') throw asError(answer, 'the seal');
  }

  private async write(method: Write['kind'], args: readonly unknown[]): Promise<WriteAnswer> {
    try {
      const answer = await this.thread.call<WriteAnswer>(LOG_SERVICE, method, args);
      if (typeof answer !== 'number' && answer.kind === 'foreign')
        this.options.onDamage?.(new LogDamagedError(answer.position, answer.reason));
      return answer;
    } catch (error) {
      if (!(error instanceof ThreadStoppedError)) throw error;
      return { kind: error.sent ? 'unknown' : 'unavailable', reason: error.message };
    }
  }
}

function outcomeOf(answer: WriteAnswer): AppendSample['outcome'] {
  if (typeof answer === 'number') return 'stored';
  switch (answer.kind) {
    case 'held':
      return 'stored';
    case 'foreign':
      return 'unavailable';
    case 'archived':
    case 'checked':
    case 'deleted':
    case 'inspected':
    case 'learned':
    case 'not-found':
    case 'sealed':
    case 'probed':
      return 'refused';
    default:
      return answer.kind;
  }
}

async function hasRoom(directory: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize >= MIN_ROOM_BYTES;
  } catch {
    return false;
  }
}

function asError(answer: WriteAnswer, stream: string, expected?: ExpectedRevision): Error {
  if (typeof answer === 'number') return unfit(answer);
  switch (answer.kind) {
    case 'wrong-revision':
      return expected ? new WrongExpectedRevisionError(stream, expected, answer.actual) : unfit(answer);
    case 'not-found':
      return new StreamNotFoundError(stream);
    case 'unavailable':
      return new EventStoreUnavailableError(`the event log takes no writes now: ${answer.reason}`);
    case 'foreign':
      return new EventStoreUnavailableError(
        `${answer.reason}. Nothing is written any more. Stop, and restore log.db; or, once you know where they come from, run ` +
          'npx anneal audit accept --reason "..."',
      );
    case 'unknown':
      return new AppendOutcomeUnknownError(`whether ${stream} was written is not known: ${answer.reason}`);
    case 'archived':
    case 'checked':
    case 'deleted':
    case 'held':
    case 'inspected':
    case 'learned':
    case 'probed':
    case 'sealed':
      return unfit(answer);
  }
}

const unfit = (answer: WriteAnswer) =>
  new Error(`the event log answered ${JSON.stringify(answer)}, which fits no call`);
