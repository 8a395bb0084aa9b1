import type { SealState } from '../seal.js';

/** Requests to the writer and its answers: structured-cloned between the caller's thread and the store thread. */

/**
 * `[id, type, data as JSON, metadata as JSON]`, one event after another: cheap to clone. A packed event has its bytes as `data`, a
 * character for each, and empty metadata.
 */
export type FlatEvents = readonly string[];
export const FIELDS_PER_EVENT = 4;
/** The metadata of a packed event, of which its bytes have the rest. */
export const PACKED = '';

/** Position, data and metadata of an event of a segment. */
export type ArchivedTexts = readonly [number, string, string];

export type Write =
  | {
      readonly kind: 'append';
      readonly stream: string;
      /** The last event's revision, -1 when there must be no stream. */
      readonly expected: number;
      readonly events: FlatEvents;
      /** Ids of held events that they replace. */
      readonly inPlaceOf?: readonly string[];
    }
  /** Events to be held beside the log, and the stream of each. */
  | { readonly kind: 'hold'; readonly streams: readonly string[]; readonly events: FlatEvents }
  | { readonly kind: 'delete'; readonly stream: string }
  | { readonly kind: 'archive'; readonly segment: string; readonly texts: readonly ArchivedTexts[] }
  /** Texts for packed events to refer to. */
  | { readonly kind: 'learn'; readonly texts: readonly string[] }
  /** See `LogSeal`. */
  | { readonly kind: 'inspect-seal'; readonly keys: readonly Uint8Array[] }
  | { readonly kind: 'begin-seal'; readonly keys: readonly Uint8Array[] }
  | { readonly kind: 'check-seal' }
  | { readonly kind: 'cover'; readonly position: number }
  /** Commits without an event. */
  | { readonly kind: 'probe' };

export type WriteOutcome =
  | { readonly kind: 'stored'; readonly revision: number; readonly position: number }
  | { readonly kind: 'wrong-revision'; readonly actual: number }
  | { readonly kind: 'deleted' }
  /** `events`: how many left their texts. */
  | { readonly kind: 'archived'; readonly events: number }
  | { readonly kind: 'held' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'learned'; readonly ids: readonly number[] }
  | { readonly kind: 'probed' }
  | { readonly kind: 'inspected'; readonly state: SealState }
  | { readonly kind: 'sealed' }
  | { readonly kind: 'checked'; readonly position: number }
  /** Definite: nothing was stored, since the end of the log is not this installation's. */
  | { readonly kind: 'foreign'; readonly position: string | null; readonly reason: string }
  /** Definite: nothing was stored. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * An outcome as it crosses between threads. A stored append is answered by its position alone (its revision follows
 * from the request), since nearly every answer is one.
 */
export type WriteAnswer = number | Exclude<WriteOutcome, { readonly kind: 'stored' }>;
