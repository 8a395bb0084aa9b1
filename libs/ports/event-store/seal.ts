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

  /**
   * Compares the end again if another process has written to the log, of which an idle system would not know otherwise.
   * @returns the position of the last event that this installation wrote
   * @throws EventStoreUnavailableError as every write does while the end is another's
   */
  check(): Promise<string>;

  /** Leaves the events up to this position to a signed checkpoint that covers them. */
  cover(position: string): Promise<void>;
}

const NAMED = 5;

/** What is wrong with the end of a log, as a clause. */
export function wrongSeal(state: Exclude<SealState, { readonly kind: 'whole' }>): string {
  if (state.kind === 'longer') {
    const named = state.events.slice(0, NAMED).map(placeOf).join(', ');
    const more = state.count > NAMED ? `, and ${state.count - NAMED} more` : '';
    const events = state.count === 1 ? '1 event' : `${state.count} events`;
    return `the event log ends with ${events} that this installation did not write: ${named}${more}`;
  }
  if (state.kind === 'hidden')
    return `streams are marked as removed that this installation did not delete: ${state.streams.slice(0, NAMED).join(', ')}`;
  if (state.kind === 'planted')
    return `calls are held as open that this installation did not open: ${state.streams.slice(0, NAMED).join(', ')}`;
  if (state.kind !== 'broken')
    return 'the seal of the event log is missing, or not one of this installation: the log was changed';
  const after = state.after === null ? 'its start' : `position ${shortOf(state.after)}`;
  return `events of the log after ${after} were changed or removed since this installation wrote them`;
}

const shortOf = (position: string): string => position.replace(/^0+(?=\d)/, '');

const placeOf = ({ type, stream, position }: UnsealedEvent): string =>
  `${type} in ${stream} (position ${shortOf(position)})`;
