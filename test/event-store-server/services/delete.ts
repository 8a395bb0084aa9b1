import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import { asServiceError, invalidArgument, streamDeleted, wrongExpectedVersion } from '../protocol/errors.js';
import { fromExpectedRevision } from '../protocol/expected-version.js';
import { streams, type StreamMessages } from '../protocol/messages.js';
import { fromStreamIdentifier } from '../protocol/stream-identifier.js';
import type { ServiceContext } from './context.js';
import { write } from './write.js';

/** `Streams.Delete`: reads say not found; the events stay in the log until a scavenge; the stream can be begun again. */
export function deleteStream(context: ServiceContext) {
  return (
    call: ServerUnaryCall<StreamMessages.DeleteReq, StreamMessages.DeleteResp>,
    answer: sendUnaryData<StreamMessages.DeleteResp>,
  ): void => {
    carryOut(context, 'delete', call, (position) => {
      const place = new streams.DeleteResp.Position().setCommitPosition(position).setPreparePosition(position);
      answer(null, new streams.DeleteResp().setPosition(place));
    }).catch((error: unknown) => answer(asServiceError(error)));
  };
}

/** `Streams.Tombstone`: nothing can ever be read from or written to that stream again. */
export function tombstoneStream(context: ServiceContext) {
  return (
    call: ServerUnaryCall<StreamMessages.TombstoneReq, StreamMessages.TombstoneResp>,
    answer: sendUnaryData<StreamMessages.TombstoneResp>,
  ): void => {
    carryOut(context, 'tombstone', call, (position) => {
      const place = new streams.TombstoneResp.Position().setCommitPosition(position).setPreparePosition(position);
      answer(null, new streams.TombstoneResp().setPosition(place));
    }).catch((error: unknown) => answer(asServiceError(error)));
  };
}

async function carryOut(
  context: ServiceContext,
  kind: 'delete' | 'tombstone',
  call: ServerUnaryCall<StreamMessages.DeleteReq | StreamMessages.TombstoneReq, unknown>,
  answer: (position: string) => void,
): Promise<void> {
  const options = call.request.getOptions();
  if (!options) throw invalidArgument(`a ${kind} has no options`);
  const stream = fromStreamIdentifier(options.getStreamIdentifier());
  const expected = fromExpectedRevision(options);
  const outcome = await write(context, call, { kind, stream, expected });
  if (outcome?.kind === 'deleted') throw streamDeleted(stream);
  if (outcome?.kind === 'wrong-version') throw wrongExpectedVersion(stream, expected, outcome.current);
  if (outcome) answer(String(outcome.position));
}
