/** Requests to the writer and its answers: structured-cloned between the caller's thread and the store thread. */

/** `[id, type, data as JSON, metadata as JSON]`, one event after another: cheap to clone. */
export type FlatEvents = readonly string[];
export const FIELDS_PER_EVENT = 4;

export type Write =
  | {
      readonly kind: 'append';
      readonly stream: string;
      /** The last event's revision, -1 when there must be no stream. */
      readonly expected: number;
      readonly events: FlatEvents;
    }
  | { readonly kind: 'delete'; readonly stream: string }
  /** Commits something that is no event. */
  | { readonly kind: 'probe' };

export type WriteOutcome =
  | { readonly kind: 'stored'; readonly revision: number; readonly position: number }
  | { readonly kind: 'wrong-revision'; readonly actual: number }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'probed' }
  /** Definite: nothing was stored. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * An outcome as it crosses between threads. What was stored is said by its position alone (its revision follows from what
 * was asked), since that is nearly every answer.
 */
export type WriteAnswer = number | Exclude<WriteOutcome, { readonly kind: 'stored' }>;
