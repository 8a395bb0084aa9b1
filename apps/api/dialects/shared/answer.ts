import { v7 as uuid7 } from 'uuid';
import { whole } from '#calls/index.js';
import type { RequestIdentity } from '#application/caller.js';
import { loggedError } from '../../errors/filter.js';
import type { FastifyReply, FastifyRequest } from '../../http.js';
import { untilClientGone } from '../../client-gone.js';
import type { CompatibleCall, CompatibleCalls, CompatibleRun } from './compatible-calls.js';
import { sendEvents, type StreamEncoder } from './event-stream.js';

/** A dialect, as far as answering needs it. */
export interface Answering {
  readonly call: Pick<CompatibleCall, 'request' | 'format' | 'input' | 'output'>;
  /** The whole answer. */
  readonly encode: (run: CompatibleRun) => object;
  readonly stream: (run: CompatibleRun) => StreamEncoder;
}

/** Runs a call and answers it, whole or as a stream. @throws DomainError, HttpError before anything was answered */
export function answer(
  calls: CompatibleCalls,
  request: FastifyRequest,
  reply: FastifyReply,
  { call, encode, stream }: Answering,
): Promise<void> {
  return untilClientGone(request, async (signal) => {
    const identity = new CallIdentity(request.id);
    const started = await calls.start({ ...call, caller: request.caller!, identity, signal });
    const { run } = started;
    try {
      if (call.request.stream)
        await sendEvents(reply, run, stream(started), (error) => loggedError(error, request, calls.logger));
      else {
        await whole(run);
        void reply.send(encode(started));
      }
    } catch (error) {
      await run.leave(error);
      throw error;
    }
  });
}

/** Of a call: few kinds of them are commands, and need an id as such. */
class CallIdentity implements RequestIdentity {
  readonly repeated = false;
  private made: string | null = null;

  constructor(readonly requestId: string) {}

  get commandId(): string {
    return (this.made ??= uuid7());
  }
}
