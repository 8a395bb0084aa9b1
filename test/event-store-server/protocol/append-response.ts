import type { WriteOutcome } from '../log/event-log.js';
import { shared, streams, type StreamMessages } from './messages.js';

type Stored = Extract<WriteOutcome, { kind: 'stored' }>;

export function toAppendSuccess({ revision, position }: Stored): StreamMessages.AppendResp {
  const place = new streams.AppendResp.Position()
    .setCommitPosition(String(position))
    .setPreparePosition(String(position));
  const success = new streams.AppendResp.Success().setPosition(place);
  // Nothing was appended to a new stream.
  if (revision < 0) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(String(revision));
  return new streams.AppendResp().setSuccess(success);
}

/** A conflict is a message of the append's answer, not an error of the call. Both are revisions, -1 for no stream. */
export function toAppendConflict(expected: number, current: number): StreamMessages.AppendResp {
  const conflict = new streams.AppendResp.WrongExpectedVersion();
  if (current < 0) conflict.setCurrentNoStream(new shared.Empty());
  else conflict.setCurrentRevision(String(current));
  if (expected < 0) conflict.setExpectedNoStream(new shared.Empty());
  else conflict.setExpectedRevision(String(expected));
  return new streams.AppendResp().setWrongExpectedVersion(conflict);
}
