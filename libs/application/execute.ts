import { setTimeout as sleep } from 'node:timers/promises';
import { fold, type Decider, type DomainEvent, type Env } from '#domain/decider.js';
import { UnavailableError } from '#domain/errors.js';
import { streamName } from '#domain/streams.js';
import {
  AppendOutcomeUnknownError,
  EventStoreUnavailableError,
  expectedAfter,
  StreamNotFoundError,
  WrongExpectedRevisionError,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type RecordedEvent,
} from '#event-store/port.js';
import type { CommandContext } from './context.js';
import { derivedUuid } from './derived-id.js';

const CONFLICT_TRIES = 8;
const UNKNOWN_DEADLINE_MS = 5_000;

export interface Executed<State> {
  readonly state: State;
  /** Last revision of the stream, -1 when it does not exist. */
  readonly revision: number;
  /** Where the command's last event stands, null when it led to none. Wait for a projection to reach it. */
  readonly position: Position | null;
}

/**
 * Loads a stream, decides and appends. A definite version conflict is loaded again, looking for the command's own events
 * first; an append of unknown outcome is repeated as it was until the answer is definite.
 * @throws DomainError when the command is refused
 * @throws UnavailableError when the event store gives no definite answer in time
 */
export async function execute<Command, Event extends DomainEvent, State>(
  store: EventStore,
  decider: Decider<Command, Event, State>,
  id: string,
  command: Command,
  context: CommandContext,
): Promise<Executed<State>> {
  const stream = streamName(decider.category, id);
  const env: Env = { now: context.now, newId: (name) => derivedId(context.commandId, name) };
  for (let attempt = 0; attempt < CONFLICT_TRIES; attempt += 1) {
    const past = await load(store, stream);
    const own = afterOwn(decider, past, context.commandId);
    if (own) return own;
    const state = fold(decider, past as Iterable<never>);
    const events = decider.decide(command, state, env);
    if (events.length === 0) return { state, revision: past.length - 1, position: null };
    const toAppend = events.map((event, index) => envelope(stream, event, index, context));
    try {
      const result = await appendDefinitely(store, stream, expectedAfter(past.length - 1), toAppend);
      return { state: events.reduce((s, e) => decider.evolve(s, e), state), ...result };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
      await sleep(attempt * 2);
    }
  }
  throw new UnavailableError(`${stream} is being changed by too many at once; try again`);
}

/**
 * What a command led to when it was given before: the stream's state as of its last event of that command. So a repeat of a
 * request can give the answer that it had then, whatever has happened since.
 * @returns null when that command has left nothing on this stream
 */
export async function recall<Event extends DomainEvent, State>(
  store: EventStore,
  decider: Decider<never, Event, State>,
  id: string,
  commandId: string,
): Promise<Executed<State> | null> {
  return afterOwn(decider, await load(store, streamName(decider.category, id)), commandId);
}

function afterOwn<Event extends DomainEvent, State>(
  decider: Decider<never, Event, State>,
  past: readonly RecordedEvent[],
  commandId: string,
): Executed<State> | null {
  const revision = past.findLastIndex(({ metadata }) => metadata.commandId === commandId);
  if (revision < 0) return null;
  const state = fold(decider, past.slice(0, revision + 1) as unknown as Iterable<never>);
  return { state, revision, position: past[revision]!.position };
}

/** The state of one stream now. */
export async function loadState<Event extends DomainEvent, State>(
  store: EventStore,
  decider: Decider<never, Event, State>,
  id: string,
): Promise<State> {
  return fold(decider, (await load(store, streamName(decider.category, id))) as Iterable<never>);
}

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
    },
  };
}

/** Repeats an append of unknown outcome, as it was, until the store says what became of it. */
export async function appendDefinitely(
  store: EventStore,
  stream: string,
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
) {
  const deadline = performance.now() + UNKNOWN_DEADLINE_MS;
  for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
    try {
      return await store.append(stream, expected, events);
    } catch (error) {
      const again = error instanceof AppendOutcomeUnknownError && performance.now() + wait < deadline;
      if (!again) throw asUnavailable(error);
      await sleep(wait);
    }
  }
}

function asUnavailable(error: unknown): unknown {
  const unavailable = error instanceof AppendOutcomeUnknownError || error instanceof EventStoreUnavailableError;
  return unavailable ? new UnavailableError('the event log is not available now; try again', { cause: error }) : error;
}

async function load(store: EventStore, stream: string) {
  try {
    return await Array.fromAsync(store.readStream(stream));
  } catch (error) {
    if (error instanceof StreamNotFoundError) return [];
    throw asUnavailable(error);
  }
}
