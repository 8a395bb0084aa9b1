import type { DomainEvent } from '#domain/decider.js';
import type { JsonObject } from '#domain/json.js';
import type { Index } from '#ports/read-store/port.js';
import type { Handlers, Recorded } from './handlers.js';

/**
 * A read model as plain functions. Pure: the same events give the same documents, live or rebuilt, once or twice.
 * A change of what it stores or handles is a new `version`: it is built beside the old one and takes over when caught up.
 */
export interface Projection<Document extends JsonObject = JsonObject, Event extends DomainEvent = DomainEvent> {
  /** Names the collection: `training-jobs`. */
  readonly name: string;
  readonly version: number;
  readonly indexes: readonly Index[];
  /**
   * Dense numbers from 1 in log order, one field for each: counted within the documents that share the values of `within`,
   * given once, as soon as none of those is null, and kept by the host whatever a handler returns. They make totals and offsets
   * cheap. An index on `within` and the field is made without being declared.
   *
   * Documents that are numbered keep the values of `within`, and documents of such a projection are never removed: an event whose
   * handler wants either parks its key.
   */
  readonly ordinals?: readonly { readonly field: string; readonly within: readonly string[] }[];
  /** Types of events after which what was there before must not be readable in the store's files. */
  readonly erases?: readonly string[];
  /** Id of the document an event belongs to; null when none. What it throws parks the events of that stream that throw. */
  key(event: Recorded<Event>): string | null;
  /**
   * The document after each type of event; null removes it (or leaves it absent). Returning the document itself changes nothing.
   * An error of a handler parks the key: this event and the key's later ones wait, the rest goes on.
   */
  readonly on: Handlers<Document | null, Event>;
}
