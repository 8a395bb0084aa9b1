import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { appendDefinitely } from '#log/execute.js';
import { closingEvents } from '#calls/recording/call-recorder.js';
import { writerIsPresent, WRITER_SILENT_MS } from '#calls/recording/writer-presence.js';
import type { CallClosed, CallOpened } from '#domain/inference/index.js';
import { exactly, WrongExpectedRevisionError, type EventStore } from '#ports/event-store/port.js';
import type { Handlers } from '#log/projector/handlers.js';
import type { Mark, ProcessManager } from '#log/process-manager/process-manager.js';
import { interruptedMetered } from './metered.js';

export interface OpenCalls {
  /** By id, in the order of opening. */
  readonly calls: Map<string, OpenCall>;
  /** The last opening or end. */
  last: Mark | null;
}

interface OpenCall {
  /** The opening or end before it. */
  readonly before: Mark | null;
  /** The stream in which it was opened and must be closed. */
  readonly stream: string;
  readonly revision: number;
  readonly opened: CallOpened['data'];
}

/**
 * Closes calls whose opening is an event and whose writer has died. Their output is lost: such a call is billed for its
 * estimated input, and for no output.
 */
export function interruptedCalls({ ports }: Application): ProcessManager<OpenCalls, OpenCall, CallOpened | CallClosed> {
  return {
    name: 'interrupted-calls',
    initial: { calls: new Map(), last: null },
    on: OPEN_CALLS,
    pending: pendingCalls,
    settled: ({ calls, last }) => {
      const [oldest] = calls.values();
      return oldest ? oldest.before : last;
    },
    key: ({ opened }) => opened.inferenceId,
    async execute(call) {
      // Most open calls are long ones whose writer is alive.
      if (await writerIsPresent(ports.coordination, call.opened.writer)) return;
      await interrupt(ports.eventStore, call);
    },
  };
}

/** Mutates the state, which belongs to this manager alone: thousands of calls may open and close per second. */
export const OPEN_CALLS: Handlers<OpenCalls, CallOpened | CallClosed> = {
  'call-opened.v1'(open, { id, position, stream, revision, data: opened }) {
    open.calls.set(opened.inferenceId, { stream, revision, opened, before: open.last });
    open.last = { position, id };
    return open;
  },
  'call-closed.v1'(open, { id, position, data }) {
    open.calls.delete(data.inferenceId);
    open.last = { position, id };
    return open;
  },
};

/**
 * Calls that may have lost their writer. A writer reports itself within this time of opening a call, so calls opened
 * later are skipped. Writers' clocks differ, so an older call behind a recent one waits for its turn.
 */
export function pendingCalls({ calls }: OpenCalls, now: number): readonly OpenCall[] {
  const pending: OpenCall[] = [];
  for (const call of calls.values()) {
    if (now - Date.parse(call.opened.at) <= WRITER_SILENT_MS) break;
    pending.push(call);
  }
  return pending;
}

/** More than the calls closed at once, each of which may append first. */
const TRIES = 20;

/** Appends at the writer's next revision: if the writer lives after all, one of the two appends is refused. */
async function interrupt(eventStore: EventStore, { stream, revision, opened }: OpenCall): Promise<void> {
  const { inferenceId, workspaceId } = opened;
  const closed: CallClosed['data'] = { inferenceId, workspaceId, outcome: 'interrupted' };
  const context = systemContext('interrupted-calls', workspaceId, inferenceId);
  const events = closingEvents(stream, closed, interruptedMetered(opened), context);
  let last = revision;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    for await (const event of eventStore.readStream(stream, { fromRevision: last + 1 })) {
      if (event.type === 'call-closed.v1' && event.data['inferenceId'] === inferenceId) return;
      last = event.revision;
    }
    try {
      await appendDefinitely(eventStore, stream, exactly(last), events);
      return;
    } catch (error) {
      // Another call of that writer was closed since; or the writer is alive and appends.
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }
}
