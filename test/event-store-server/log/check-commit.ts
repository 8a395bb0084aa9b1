import { isSoftDeleted, TOMBSTONE, type StreamState } from './streams.js';

export type ExpectedVersion =
  | { readonly kind: 'any' }
  | { readonly kind: 'no-stream' }
  | { readonly kind: 'stream-exists' }
  | { readonly kind: 'revision'; readonly revision: number };

export type CommitDecision =
  | { readonly kind: 'ok' }
  | { readonly kind: 'idempotent'; readonly last: number }
  | { readonly kind: 'wrong-version'; readonly current: number }
  | { readonly kind: 'deleted' };

/**
 * Whether events may be appended to a stream. After the server's `IndexWriter.CheckCommit`, with one difference on the
 * strict side: `any` and `stream-exists` never recognise a repeat (the server does while it remembers the ids).
 * @param ids of the events to append
 * @param idAt the id of the event that the stream has at a revision, null where it has none (any more)
 */
export function checkCommit(
  stream: StreamState,
  expected: ExpectedVersion,
  ids: readonly string[],
  idAt: (revision: number) => string | null,
): CommitDecision {
  if (stream.last === TOMBSTONE) return { kind: 'deleted' };
  const wrong: CommitDecision = { kind: 'wrong-version', current: stream.last };
  if (expected.kind === 'any') return { kind: 'ok' };
  if (expected.kind === 'stream-exists') {
    if (isSoftDeleted(stream)) return { kind: 'deleted' };
    return stream.last < 0 ? wrong : { kind: 'ok' };
  }
  const revision = expected.kind === 'no-stream' ? -1 : expected.revision;
  if (revision === stream.last) return { kind: 'ok' };
  if (revision > stream.last) return wrong;
  const repeated = ids.findIndex((id, index) => idAt(revision + 1 + index) !== id);
  if (ids.length > 0 && repeated < 0) return { kind: 'idempotent', last: revision + ids.length };
  // A deleted stream may be begun again, unless its first events are the very ones that are offered.
  if (expected.kind === 'no-stream' && isSoftDeleted(stream) && repeated <= 0) return { kind: 'ok' };
  return wrong;
}
