import type { JsonObject } from '#domain/json.js';
import type { RecordedEvent } from '#event-store/port.js';
import type { Index } from '#read-store/port.js';

/**
 * A read model as plain functions. Pure: the same events give the same documents, live or rebuilt, once or twice.
 * A change of what it stores or handles is a new `version`: it is built beside the old one and takes over when caught up.
 */
export interface Projection<Document extends JsonObject = JsonObject> {
  /** Names the collection: `training-jobs`. */
  readonly name: string;
  readonly version: number;
  /** Event types, whole: `training-job-requested.v1`. */
  readonly handles: readonly string[];
  readonly indexes: readonly Index[];
  /**
   * Dense numbers from 1 in log order, given once when a document first appears: one field for each, counted within the
   * documents that share the values of `within` (null values are not counted). They make totals and offsets cheap.
   */
  readonly ordinals?: readonly { readonly field: string; readonly within: readonly string[] }[];
  /** The document an event belongs to; null when none. */
  key(event: RecordedEvent): string | null;
  /** The document after the event; null removes it (or leaves it absent). */
  apply(document: Document | null, event: RecordedEvent): Document | null;
}
