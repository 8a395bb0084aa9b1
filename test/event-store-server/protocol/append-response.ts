import type { ExpectedVersion } from '../log/check-commit.js';
import type { WriteOutcome } from '../log/event-log.js';
import { shared, streams, type StreamMessages } from './messages.js';

type Stored = Extract<WriteOutcome, { kind: 'stored' }>;

export function toAppendSuccess({ revision, position }: Stored): StreamMessages.AppendResp {
  const success = new streams.AppendResp.Success();
  if (revision < 0) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(String(revision));
  if (position === null) success.setNoPosition(new shared.Empty());
  else {
    success.setPosition(
      new streams.AppendResp.Position().setCommitPosition(String(position)).setPreparePosition(String(position)),
    );
  }
  return new streams.AppendResp().setSuccess(success);
}

/** A conflict is a message of the append's answer, not an error of the call. */
export function toAppendConflict(expected: ExpectedVersion, current: number): StreamMessages.AppendResp {
  const conflict = new streams.AppendResp.WrongExpectedVersion();
  if (current < 0) conflict.setCurrentNoStream(new shared.Empty());
  else conflict.setCurrentRevision(String(current));
  switch (expected.kind) {
    case 'any':
      conflict.setExpectedAny(new shared.Empty());
      break;
    case 'stream-exists':
      conflict.setExpectedStreamExists(new shared.Empty());
      break;
    case 'no-stream':
      conflict.setExpectedNoStream(new shared.Empty());
      break;
    case 'revision':
      conflict.setExpectedRevision(String(expected.revision));
  }
  return new streams.AppendResp().setWrongExpectedVersion(conflict);
}
