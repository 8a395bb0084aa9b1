import type { sendUnaryData, ServerReadableStream } from '@grpc/grpc-js';
import type { EventToStore } from '../log/tables.js';
import { toAppendConflict, toAppendSuccess } from '../protocol/append-response.js';
import { asServiceError, invalidArgument, maximumAppendSizeExceeded, streamDeleted } from '../protocol/errors.js';
import { fromExpectedRevision } from '../protocol/expected-version.js';
import type { StreamMessages } from '../protocol/messages.js';
import { fromProposedMessage, sizeOf } from '../protocol/proposed-message.js';
import { fromStreamIdentifier } from '../protocol/identifiers.js';
import type { ServiceContext } from './context.js';
import { write } from './write.js';

type Call = ServerReadableStream<StreamMessages.AppendReq, StreamMessages.AppendResp>;
type Answer = sendUnaryData<StreamMessages.AppendResp>;

/** The server's own, as `sizeOf` counts. */
const MAX_APPEND_BYTES = 1_048_576;

/** `Streams.Append`: options first, then the events, one message each; the answer at the end. */
export function append(context: ServiceContext) {
  return (call: Call, answer: Answer): void => {
    let options: StreamMessages.AppendReq.Options | undefined;
    const events: EventToStore[] = [];
    let size = 0;
    let failed = false;
    const fail = (error: unknown) => {
      if (!failed) answer(asServiceError(error));
      failed = true;
    };
    call.on('data', (request: StreamMessages.AppendReq) => {
      if (failed) return;
      try {
        options ??= request.getOptions();
        const message = request.getProposedMessage();
        if (!message) return;
        const event = fromProposedMessage(message);
        events.push(event);
        size += sizeOf(event);
        if (size > MAX_APPEND_BYTES) throw maximumAppendSizeExceeded(MAX_APPEND_BYTES);
      } catch (error) {
        fail(error);
      }
    });
    call.on('end', () => {
      if (!failed && !call.cancelled) carryOut(context, call, options, events, answer).catch(fail);
    });
    // The caller went away: nobody is left to hear of it.
    call.on('error', () => (failed = true));
  };
}

async function carryOut(
  context: ServiceContext,
  call: Call,
  options: StreamMessages.AppendReq.Options | undefined,
  events: readonly EventToStore[],
  answer: Answer,
): Promise<void> {
  if (!options) throw invalidArgument('an append has no options');
  const stream = fromStreamIdentifier(options.getStreamIdentifier());
  const expected = fromExpectedRevision(options);
  const outcome = await write(context, call, { stream, expected, events });
  if (outcome?.kind === 'deleted') throw streamDeleted(stream);
  if (outcome?.kind === 'wrong-version') answer(null, toAppendConflict(expected, outcome.current));
  if (outcome?.kind === 'stored') answer(null, toAppendSuccess(outcome));
}
