import type { Application } from '#application/application.js';
import { wholeEvent } from '#calls/recording/call-recorder.js';
import { writerIsPresent, WRITER_SILENT_MS } from '#calls/recording/writer-presence.js';
import type { CallOpened } from '#domain/inference/index.js';
import { systemContext } from '#log/context.js';
import { appendDefinitely } from '#log/execute.js';
import {
  expectedAfter,
  StreamNotFoundError,
  WrongExpectedRevisionError,
  type EventStore,
  type HeldEvent,
  type HeldEvents,
} from '#ports/event-store/port.js';
import type { Repeated } from '#primitives/background/background.js';
import { interruptedMetered } from './metered.js';

const EVERY_MS = 5_000;
const MAX_RETRY_MS = 60_000;
/** More than the calls closed at once, each of which may append first. */
const TRIES = 20;

/** Periodically closes calls whose opening is held beside the log and whose writer has died. */
export const startInterruptingHeld = (application: Application): Repeated =>
  application.background.repeat('interrupt-held-calls', () => interruptHeld(application, Date.now()), {
    ...{ delayMs: 0, everyMs: EVERY_MS, maxRetryMs: MAX_RETRY_MS },
  });

/** Closes them once. Their output is lost: such a call is billed for its estimated input. @param now in milliseconds */
export async function interruptHeld(
  { ports, storedEvents }: Pick<Application, 'ports' | 'storedEvents'>,
  now: number,
): Promise<void> {
  const { eventStore, coordination } = ports;
  // Of whatever settings this process has: an earlier one may have held them.
  const { held: openings } = storedEvents;
  if (!openings) return;
  for (const held of await openings.all()) {
    const opened = held.data as unknown as CallOpened['data'];
    // A writer reports itself within this time of opening a call.
    if (now - Date.parse(opened.at) <= WRITER_SILENT_MS) continue;
    if (!(await writerIsPresent(coordination, opened.writer))) await interrupt(eventStore, openings, held);
  }
}

/** Appends at the writer's next revision: if the writer lives after all, one of the two appends is refused. */
async function interrupt(eventStore: EventStore, held: HeldEvents, { id, stream, data }: HeldEvent): Promise<void> {
  const opened = data as unknown as CallOpened['data'];
  const context = systemContext('interrupted-calls', opened.workspaceId, opened.inferenceId);
  const { estimatedInputTokens, reservedPicodollars } = opened;
  const end = { outcome: 'interrupted', estimatedInputTokens, reservedPicodollars } as const;
  const event = wholeEvent(stream, { ...interruptedMetered(opened), ...end }, context);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const last = await lastRevision(eventStore, stream);
    // What ends a call is appended to its stream. So a call that is still open now is open as long as that revision is the last.
    if (!(await held.all()).some((each) => each.id === id)) return;
    try {
      await appendDefinitely(eventStore, stream, expectedAfter(last), [event], [id]);
      return;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }
}

/** -1 for a stream that does not exist. */
async function lastRevision(eventStore: EventStore, stream: string): Promise<number> {
  try {
    for await (const { revision } of eventStore.readStream(stream, { direction: 'backwards', limit: 1 }))
      return revision;
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  return -1;
}
