import type { Application } from '#application/application.js';
import type { JsonObject } from '#domain/json.js';
import { categoryOf } from '#domain/streams.js';
import {
  EventStoreUnavailableError,
  expectedAfter,
  WrongExpectedRevisionError,
  type EventStore,
  type EventToAppend,
} from '#ports/event-store/port.js';
import { OperationError, type Operations } from './operation.js';
import { askRunning, NoSystemError } from './socket.js';

const APPEND = 'reads.append';

/** `reads.append`: records who read contents in another process, whose log this one has locked. */
export const readOperations = ({ ports }: Application): Operations => ({
  /**
   * `{stream, revision, events}`, as `EventStore.append`, with the stream's last revision or -1. Yields the result, or
   * `{actual}` if the revision differs.
   */
  async *[APPEND](args) {
    const { stream, revision, events } = args as unknown as Appending;
    if (categoryOf(stream) !== 'access' || events.some(({ type }) => type !== 'contents-read.v1'))
      throw new OperationError('only what was read is recorded so');
    try {
      yield { ...(await ports.eventStore.append(stream, expectedAfter(revision), events)) };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
      yield { actual: error.actualRevision };
    }
  },
});

interface Appending {
  readonly stream: string;
  readonly revision: number;
  readonly events: readonly EventToAppend[];
}

const DEADLINE_MS = 5_000;

/** Has the system that runs on a folder record who read contents here. */
export const appendByRunning =
  (dataDir: string): EventStore['append'] =>
  async (stream, expected, events) => {
    const revision = expected.kind === 'exact' ? expected.revision : -1;
    const args = { stream, revision, events: events as unknown as JsonObject[] };
    const [answer] = await Array.fromAsync(askRunning(dataDir, APPEND, args, AbortSignal.timeout(DEADLINE_MS))).catch(
      (error: unknown) => {
        if (!(error instanceof NoSystemError || error instanceof OperationError)) throw error;
        throw new EventStoreUnavailableError(error.message, { cause: error });
      },
    );
    if (answer === undefined) throw new EventStoreUnavailableError('the running system gave no answer in time');
    const { actual, ...result } = answer as JsonObject;
    if (typeof actual === 'number') throw new WrongExpectedRevisionError(stream, expected, actual);
    return result as unknown as Awaited<ReturnType<EventStore['append']>>;
  };
