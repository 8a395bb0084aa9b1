import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import { asServiceError, invalidArgument, streamDeleted, wrongExpectedVersion } from '../protocol/errors.js';
import { fromExpectedRevision } from '../protocol/expected-version.js';
import { fromStreamIdentifier } from '../protocol/identifiers.js';
import { streams, type StreamMessages } from '../protocol/messages.js';
import type { ServiceContext } from './context.js';
import { write } from './write.js';

type Call = ServerUnaryCall<StreamMessages.TombstoneReq, StreamMessages.TombstoneResp>;
type Answer = sendUnaryData<StreamMessages.TombstoneResp>;

/** `Streams.Tombstone`: nothing can ever be read from or written to that stream again. */
export const tombstone =
  (context: ServiceContext) =>
  (call: Call, answer: Answer): void =>
    void carryOut(context, call, answer).catch((error: unknown) => answer(asServiceError(error)));

async function carryOut(context: ServiceContext, call: Call, answer: Answer): Promise<void> {
  const options = call.request.getOptions();
  if (!options) throw invalidArgument('a tombstone has no options');
  const stream = fromStreamIdentifier(options.getStreamIdentifier());
  const expected = fromExpectedRevision(options);
  const outcome = await write(context, call, { stream, expected, events: 'tombstone' });
  if (outcome?.kind === 'deleted') throw streamDeleted(stream);
  if (outcome?.kind === 'wrong-version') throw wrongExpectedVersion(stream, expected, outcome.current);
  if (!outcome) return;
  const position = String(outcome.position);
  const place = new streams.TombstoneResp.Position().setCommitPosition(position).setPreparePosition(position);
  answer(null, new streams.TombstoneResp().setPosition(place));
}
