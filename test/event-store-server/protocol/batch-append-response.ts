import { status } from '@grpc/grpc-js';
import type { Message } from 'google-protobuf';
import type { ExpectedVersion } from '../log/check-commit.js';
import type { WriteOutcome } from '../log/event-log.js';
import { Any, Empty, rpcStatus, shared, streams, type StatusMessages, type StreamMessages } from './messages.js';
import { toStreamIdentifier } from './stream-identifier.js';

/** What became of one batch: stored, or one of the errors that have a message of their own. */
export type BatchOutcome =
  | WriteOutcome
  | { readonly kind: 'timeout' }
  | { readonly kind: 'too-large'; readonly most: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** The answer to one batch. Its correlation id is the caller's to set. */
export function toBatchAppendResponse(
  stream: string,
  expected: ExpectedVersion,
  outcome: BatchOutcome,
): StreamMessages.BatchAppendResp {
  const response = new streams.BatchAppendResp().setStreamIdentifier(toStreamIdentifier(stream));
  if (expected.kind === 'revision') response.setStreamPosition(String(expected.revision));
  else if (expected.kind === 'no-stream') response.setNoStream(new Empty());
  else if (expected.kind === 'any') response.setAny(new Empty());
  else response.setStreamExists(new Empty());
  return outcome.kind === 'stored'
    ? response.setSuccess(toSuccess(outcome))
    : response.setError(toError(stream, expected, outcome));
}

function toSuccess({
  revision,
  position,
}: Extract<WriteOutcome, { kind: 'stored' }>): StreamMessages.BatchAppendResp.Success {
  const success = new streams.BatchAppendResp.Success();
  if (revision < 0) success.setNoStream(new Empty());
  else success.setCurrentRevision(String(revision));
  if (position === null) return success.setNoPosition(new Empty());
  const place = String(position);
  return success.setPosition(new shared.AllStreamPosition().setCommitPosition(place).setPreparePosition(place));
}

function toError(
  stream: string,
  expected: ExpectedVersion,
  outcome: Exclude<BatchOutcome, { kind: 'stored' }>,
): StatusMessages.Status {
  switch (outcome.kind) {
    case 'wrong-version':
      return error(status.FAILED_PRECONDITION, 'WrongExpectedVersion', conflict(expected, outcome.current));
    case 'deleted':
      return error(
        status.FAILED_PRECONDITION,
        'StreamDeleted',
        new shared.StreamDeleted().setStreamIdentifier(toStreamIdentifier(stream)),
      );
    case 'timeout':
      return error(status.DEADLINE_EXCEEDED, 'Timeout', new shared.Timeout());
    case 'too-large':
      return error(
        status.INVALID_ARGUMENT,
        'MaximumAppendSizeExceeded',
        new shared.MaximumAppendSizeExceeded().setMaxappendsize(outcome.most),
      );
    case 'failed':
      return error(status.UNKNOWN, 'Unknown', new shared.Unknown(), outcome.reason);
  }
}

function conflict(expected: ExpectedVersion, current: number): Message {
  const details = new shared.WrongExpectedVersion();
  if (current < 0) details.setCurrentNoStream(new Empty());
  else details.setCurrentStreamRevision(String(current));
  if (expected.kind === 'revision') details.setExpectedStreamPosition(String(expected.revision));
  else if (expected.kind === 'no-stream') details.setExpectedNoStream(new Empty());
  else if (expected.kind === 'any') details.setExpectedAny(new Empty());
  else details.setExpectedStreamExists(new Empty());
  return details;
}

function error(code: status, name: string, details: Message, message = name): StatusMessages.Status {
  const packed = new Any();
  packed.pack(details.serializeBinary(), `event_store.client.${name}`);
  return new rpcStatus.Status()
    .setCode(code as number)
    .setMessage(message)
    .setDetails(packed);
}
