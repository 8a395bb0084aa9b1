import { v7 as uuid7 } from 'uuid';
import type { Application } from '#application/application.js';
import { envelope } from '#log/execute.js';
import type { ContentsRead } from '#domain/content-read/index.js';
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
import { operatorContext } from './operator-context.js';

const APPEND = 'reads.append';
export const RECORD_EXPORT = 'reads.record-export';

/** `reads.append` and `reads.record-export`: record who read contents in another process, whose log this one has locked. */
export const readOperations = ({ ports }: Application): Operations => ({
  /**
   * `{stream, revision, events}`, as `EventStore.append`, with the stream's last revision or -1. Yields the result, or
   * `{actual}` if the revision differs.
   */
  async *[APPEND](args) {
    const { stream, revision, events } = args as unknown as Appending;
    if (categoryOf(stream) !== 'access' || events.some(({ type }) => type !== 'contents-read.v1'))
      throw new OperationError('this operation records only reads of contents');
    try {
      yield { ...(await ports.eventStore.append(stream, expectedAfter(revision), events)) };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
      yield { actual: error.actualRevision };
    }
  },

  /** `{workspaceIds, stream}`: the operator exports contents of these workspaces, of one stream or (null) of all */
  async *[RECORD_EXPORT](args) {
    const { workspaceIds, stream } = args as {
      readonly workspaceIds: readonly string[];
      readonly stream: string | null;
    };
    for (const workspaceId of workspaceIds) {
      const context = operatorContext(workspaceId);
      const read = { actor: context.actor, resource: `events/${stream ?? '*'}`, route: 'npx anneal audit export' };
      const times = { from: context.now, until: context.now };
      const data: ContentsRead['data'] = { workspaceId, ...times, reads: [{ ...read, count: 1 }] };
      const name = `access-${workspaceId}-${context.now.slice(0, 10)}-${uuid7()}`;
      await ports.eventStore.append(name, expectedAfter(-1), [
        envelope(name, { type: 'contents-read.v1', data }, 0, context),
      ]);
    }
    yield { workspaces: workspaceIds.length };
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
