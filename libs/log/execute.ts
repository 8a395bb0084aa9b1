import { setTimeout as sleep } from 'node:timers/promises';
import { fold, foldingOf, type Decider, type DomainEvent, type Env } from '#domain/decider.js';
import { LogUnavailableError, UnavailableError } from '#domain/errors.js';
import { streamName } from '#domain/streams.js';
import {
  AppendOutcomeUnknownError,
  EventStoreUnavailableError,
  LogDamagedError,
  expectedAfter,
  StreamNotFoundError,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type ReadStreamOptions,
  type RecordedEvent,
} from '#ports/event-store/port.js';
import { Budget } from '#primitives/waiting/budget.js';
import type { CommandContext } from './context.js';
import { derivedUuid } from './derived-id.js';

const CONFLICT_TRIES = 8;
const UNKNOWN_DEADLINE_MS = 5_000;
/** Maximum number of concurrent stream reads; each holds one page of events, about 1 MiB of JSON. */
const MAX_LOADS = 16;
/** Maximum number of commands that wait for others on the same stream. */
const MAX_WAITING = 256;
const MAX_WAIT_MS = 10_000;
const UPGRADE_RETRY_S = 10;
const TOO_MANY_CHANGES = 'too many changes of this resource wait';

/** The command was accepted, and its events were withheld. */
export class WithheldError extends Error {
  override readonly name = 'WithheldError';
}

export interface Executed<State> {
  readonly state: State;
  /** Last revision of the stream; -1 when it does not exist. */
  readonly revision: number;
  /** Position of the command's last event; null when it had none. Await a projection's reaching it. */
  readonly position: Position | null;
}

/** A stream as far as it was read: its events are folded one by one, and none is kept. */
interface Loaded<State> extends Executed<State> {
  /** The stream after the last event of the command; null if it has none. */
  readonly own: Executed<State> | null;
}

type AnyDecider<Event extends DomainEvent, State> = Decider<never, Event, State>;

/** Runs commands on the streams of one log. Commands on one stream wait for each other here; replicas meet at its revision. */
export class Executor {
  private readonly turns = new Budget({
    total: Infinity,
    perKey: 1,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    busy: TOO_MANY_CHANGES,
  });
  private readonly loads = new Budget({
    total: MAX_LOADS,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    busy: 'too many resources are being read now',
  });

  constructor(private readonly store: EventStore) {}

  /**
   * Loads a stream, decides and appends. After a definite version conflict the stream is read on, looking for the command's own
   * events first; an append of unknown outcome is repeated as it was until the answer is definite.
   * @throws DomainError when the command is refused; WithheldError instead of an append, if the context says so
   * @throws UnavailableError when the event store gives no definite answer in time, too many commands wait for this stream, or a
   * newer release has written to it what this one cannot read
   */
  execute<Command, Event extends DomainEvent, State>(
    decider: Decider<Command, Event, State>,
    id: string,
    command: Command,
    context: CommandContext,
  ): Promise<Executed<State>> {
    const stream = streamName(decider.category, id);
    return this.turns.within(1, stream, () => this.decideAndAppend(decider, stream, command, context));
  }

  /**
   * The outcome of an earlier run of a command: the stream's state as of its last event of that command. A repeated
   * request can thus return its first answer, whatever has happened since.
   * @returns null when the command left no event on this stream
   */
  async recall<Event extends DomainEvent, State>(
    decider: AnyDecider<Event, State>,
    id: string,
    commandId: string,
  ): Promise<Executed<State> | null> {
    return (await this.readOn(decider, streamName(decider.category, id), before(decider), commandId)).own;
  }

  /** The state of one stream now. @throws UnavailableError as `execute` */
  async load<Event extends DomainEvent, State>(decider: AnyDecider<Event, State>, id: string): Promise<State> {
    return (await this.present(decider, streamName(decider.category, id), null)).state;
  }

  private async decideAndAppend<Command, Event extends DomainEvent, State>(
    decider: Decider<Command, Event, State>,
    stream: string,
    command: Command,
    context: CommandContext,
  ): Promise<Executed<State>> {
    const env: Env = { now: context.now, newId: (name) => derivedId(context.commandId, name) };
    let past = await this.present(decider, stream, context.commandId);
    for (let attempt = 0; attempt < CONFLICT_TRIES; attempt += 1) {
      if (past.own) return past.own;
      const { state, revision } = past;
      const events = decider.decide(command, state, env);
      if (events.length === 0) return { state, revision, position: null };
      if (context.withheld) throw new WithheldError();
      const toAppend = events.map((event, index) => envelope(stream, event, index, context));
      try {
        const result = await appendDefinitely(this.store, stream, expectedAfter(revision), toAppend);
        return { state: fold(decider, events, state), ...result };
      } catch (error) {
        if (!(error instanceof WrongExpectedRevisionError)) throw error;
        await sleep(attempt * 2);
        past = await this.readOn(decider, stream, past, context.commandId);
      }
    }
    throw new UnavailableError(`${TOO_MANY_CHANGES}; try again`);
  }

  /** Reads only the last event of a stream whose last event holds the whole state. */
  private present<Event extends DomainEvent, State>(
    decider: AnyDecider<Event, State>,
    stream: string,
    commandId: string | null,
  ): Promise<Loaded<State>> {
    const start = before(decider);
    if (!decider.skip) return this.readOn(decider, stream, start, commandId);
    const last = { direction: 'backwards', limit: 1 } as const;
    return this.read(decider, stream, start, commandId, last);
  }

  /** Folds the events since `start`, or all of them. */
  private readOn<Event extends DomainEvent, State>(
    decider: AnyDecider<Event, State>,
    stream: string,
    past: Loaded<State>,
    commandId: string | null,
  ): Promise<Loaded<State>> {
    return this.read(decider, stream, past, commandId, { fromRevision: past.revision + 1 });
  }

  private read<Event extends DomainEvent, State>(
    decider: AnyDecider<Event, State>,
    stream: string,
    past: Loaded<State>,
    commandId: string | null,
    options: ReadStreamOptions,
  ): Promise<Loaded<State>> {
    return this.loads.within(1, stream, async () => {
      let { revision, position, own } = past;
      let folding = foldingOf(decider, past.state);
      let isOwn = false;
      const here = () => ({ state: folding.state(), revision, position });
      try {
        for await (const event of this.store.readStream(stream, options)) {
          requireKnown(decider, event);
          if (isOwn && event.metadata.commandId !== commandId) own = here();
          isOwn = event.metadata.commandId === commandId;
          if (decider.skip && event.revision > revision + 1) folding = foldingOf(decider, decider.skip(event.revision));
          folding.add(event as unknown as Event);
          ({ revision, position } = event);
        }
      } catch (error) {
        if (error instanceof StreamNotFoundError) return before(decider);
        throw asUnavailable(error);
      }
      if (isOwn) own = here();
      return { ...here(), own };
    });
  }
}

/**
 * Without this event, the decision would be made on another state: a process of the release that wrote it can make it.
 */
function requireKnown({ eventTypes }: AnyDecider<DomainEvent, unknown>, { type }: RecordedEvent): void {
  if (!Object.hasOwn(eventTypes, type)) throw writtenByNewerRelease(type);
}

export const writtenByNewerRelease = (type: string): UnavailableError =>
  new UnavailableError(
    `a newer release has written ${type} here, which this process does not know; try again when the upgrade is complete`,
    { retryAfterSeconds: UPGRADE_RETRY_S },
  );

const before = <State>({ initial }: AnyDecider<DomainEvent, State>): Loaded<State> => ({
  state: initial,
  revision: -1,
  position: null,
  own: null,
});

/** The same id for the same command and name. */
export const derivedId = (commandId: string, name: string): string => derivedUuid(`${commandId}/${name}`);

export function envelope(stream: string, event: DomainEvent, index: number, context: CommandContext): EventToAppend {
  return {
    id: derivedUuid(`${stream}/${context.commandId}/${index}`),
    type: event.type,
    data: event.data,
    metadata: {
      workspaceId: context.workspaceId,
      actor: context.actor,
      correlationId: context.correlationId,
      causationId: context.causationId ?? context.commandId,
      commandId: context.commandId,
      occurredAt: context.now,
      ...saidIn(context),
    },
  };
}

type Said = Pick<CommandContext, 'by' | 'reason' | 'ticket' | 'confirmedBy'>;

/** What the metadata of an event may say besides. */
export const saidIn = ({ by, reason, ticket, confirmedBy }: Said): Said => ({
  ...(by !== undefined && { by }),
  ...(reason !== undefined && { reason }),
  ...(ticket !== undefined && { ticket }),
  ...(confirmedBy !== undefined && { confirmedBy }),
});

/** Repeats an append of unknown outcome unchanged until the outcome is definite. */
export async function appendDefinitely(
  store: EventStore,
  stream: string,
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
  inPlaceOf?: readonly string[],
): Promise<AppendResult> {
  return definitely(() => store.append(stream, expected, events, inPlaceOf));
}

/** Repeats a write of unknown outcome until the outcome is definite. @throws LogUnavailableError if it is not in time */
export async function definitely<T>(write: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + UNKNOWN_DEADLINE_MS;
  for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
    try {
      return await write();
    } catch (error) {
      const again = error instanceof AppendOutcomeUnknownError && performance.now() + wait < deadline;
      if (!again) throw asUnavailable(error);
      await sleep(wait);
    }
  }
}

export function asUnavailable(error: unknown): unknown {
  if (error instanceof LogDamagedError) return error;
  const unavailable = error instanceof AppendOutcomeUnknownError || error instanceof EventStoreUnavailableError;
  return unavailable
    ? new LogUnavailableError('the event log is not available now; try again', { cause: error })
    : error;
}
