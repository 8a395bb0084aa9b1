import { whole } from '#calls/index.js';
import type { CascadeFacts } from '#domain/inference/index.js';
import { loggedError } from '../../edge/errors/filter.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import type { SentBody } from '../../edge/in-process.js';
import { untilClientGone } from '../../edge/client-gone.js';
import type { CompatibleCall, CompatibleCalls, BegunAnswer } from './compatible-calls.js';
import { sendEvents, type StreamEncoder } from '../../edge/event-stream.js';

/** A dialect's part in answering. */
export interface Answering {
  readonly call: Pick<CompatibleCall, 'request' | 'format' | 'input' | 'output'>;
  /** The whole answer. */
  readonly encode: (run: BegunAnswer) => object;
  readonly stream: (run: BegunAnswer) => StreamEncoder;
}

/** Names the hints of the request that the model was not given. */
const DROPPED = 'x-anneal-dropped';
/** The record has more of the names. */
const MAX_DROPPED_CHARACTERS = 1_024;

/** Runs a call and answers it, whole or as a stream. @throws DomainError, HttpError before anything was answered */
export function answer(
  calls: CompatibleCalls,
  request: FastifyRequest,
  reply: FastifyReply,
  { call, encode, stream }: Answering,
): Promise<void> {
  return untilClientGone(request, (signal) => {
    const asked = { ...call, caller: request.caller!, correlationId: request.id, signal };
    return calls.run(asked, async (begun) => {
      const { run } = begun;
      nameDropped(reply, run.dropped);
      if (begun.cascade) nameAnswering(reply, begun.cascade);
      if (call.request.stream)
        await sendEvents(reply, run, stream(begun), (error) =>
          loggedError(error, request, request.raw.socket.destroyed, calls.logger),
        );
      else {
        await whole(run);
        void reply.send(encode(begun));
      }
    });
  });
}

/** Says who answered for a distilled version, why, and how certain the small model was. */
const ANSWERED_BY = 'x-anneal-answered-by';

export function nameAnswering(reply: FastifyReply, { by, reason, certainty }: CascadeFacts): void {
  const sure = certainty === undefined ? '' : `; certainty=${certainty.toFixed(3)}`;
  reply.raw.setHeader(ANSWERED_BY, `${by}; reason=${reason}${sure}`);
}

export function nameDropped(reply: FastifyReply, names: readonly string[]): void {
  if (names.length > 0) reply.raw.setHeader(DROPPED, listOf(names));
}

/** Runs a call that came in process. @returns the whole answer @throws DomainError, HttpError */
export const wholeAnswer = (
  calls: CompatibleCalls,
  { caller, correlationId, signal }: SentBody,
  { call, encode }: Answering,
): Promise<object> =>
  calls.run({ ...call, caller, correlationId, signal }, async (begun) => {
    await whole(begun.run);
    return encode(begun);
  });

/** Names in one header; `...` replaces those beyond its room. */
function listOf(names: readonly string[]): string {
  const list = names.join(', ');
  if (list.length <= MAX_DROPPED_CHARACTERS) return list;
  const end = list.lastIndexOf(', ', MAX_DROPPED_CHARACTERS - ', ...'.length);
  return `${list.slice(0, end)}, ...`;
}
