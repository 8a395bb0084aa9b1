/** How a log's end compares with its seal. */
export type SealState =
  /** Every event is one that this installation wrote. */
  | { readonly kind: 'whole' }
  /** There is no seal: an earlier release wrote the log, or somebody removed the seal. */
  | { readonly kind: 'none' }
  /** The seal was not made with these keys. */
  | { readonly kind: 'other-key' }
  /** Events after this position (null: from the start) are not all as they were sealed: some were changed or removed. */
  | { readonly kind: 'broken'; readonly after: string | null }
  /** Streams are marked as removed that this installation did not delete. */
  | { readonly kind: 'hidden'; readonly streams: readonly string[] }
  /** Calls are held as open, in these streams, that this installation did not open. */
  | { readonly kind: 'planted'; readonly streams: readonly string[] }
  /** Events that somebody else appended after the sealed end. `count`: all of them; `events`: the first ones. */
  | { readonly kind: 'longer'; readonly count: number; readonly events: readonly UnsealedEvent[] };

export interface UnsealedEvent {
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
}

/** The most events that a state names. */
export const MAX_UNSEALED = 100;

/**
 * A keyed seal over the log's end, stored with each commit. An event that was appended, changed or removed without the key,
 * behind the newest signed checkpoint, is told apart from those of this installation. What is older is left to the audit tree.
 */
export interface LogSeal {
  /** @param keys the key in force, then earlier ones */
  inspect(keys: readonly Uint8Array[]): Promise<SealState>;

  /** Seals every commit from now on. Everything that is on the log now counts as written by this installation. */
  begin(keys: readonly Uint8Array[]): Promise<void>;

  /** Leaves the events up to this position to a signed checkpoint that covers them. */
  cover(position: string): Promise<void>;
}

/** What is wrong with an end of which no single event is known, as the end of a sentence that names the log. */
export function wrongSeal(state: Exclude<SealState, { readonly kind: 'whole' | 'longer' }>): string {
  if (state.kind === 'hidden')
    return `streams are marked as removed that this installation did not delete: ${state.streams.slice(0, 5).join(', ')}`;
  if (state.kind === 'planted')
    return `calls are held as open that this installation did not open: ${state.streams.slice(0, 5).join(', ')}`;
  if (state.kind !== 'broken')
    return 'the seal of the event log is missing, or not one of this installation: log.db was changed';
  const after = state.after === null ? 'its start' : `position ${state.after.replace(/^0+(?=\d)/, '')}`;
  return `events of the log after ${after} were changed or removed since this installation wrote them`;
}
