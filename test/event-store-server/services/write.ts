import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteOutcome, WriteRequest } from '../log/event-log.js';
import { timedOut, unavailable } from '../protocol/errors.js';
import type { ServiceContext } from './context.js';

interface Caller {
  getPeer(): string;
}

/**
 * Writes to the log, with the faults that were asked for.
 * @returns null when there shall be no answer
 * @throws ServiceError when the log takes no writes, or a timeout was asked for
 */
export async function write(
  { log, control, connections, commitTimeoutMs }: ServiceContext,
  caller: Caller,
  request: WriteRequest,
): Promise<WriteOutcome | null> {
  if (control.takeDropBefore()) {
    connections.cut(caller.getPeer());
    return null;
  }
  await control.unheld();
  if (log.isCommitting(request)) {
    await sleep(commitTimeoutMs);
    throw timedOut('Commit');
  }
  const outcome = await log.write(request).catch((error: Error) => {
    throw unavailable(`nothing was stored: ${error.message}`);
  });
  if (control.takeDropAfter()) {
    connections.cut(caller.getPeer());
    return null;
  }
  if (control.takeTimeOut()) throw timedOut('Prepare');
  return control.silent ? null : outcome;
}
