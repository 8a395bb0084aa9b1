import type { DomainEvent } from '#domain/decider.js';
import type { JsonObject } from '#domain/json.js';
import type { Index } from '#ports/read-store/port.js';
import type { Handlers, Recorded } from './handlers.js';

/**
 * A read model as plain functions. Pure: the same events give the same documents, live or rebuilt, once or twice. A
 * change of its documents, its events or the indexes that its queries need is a new `version`, which is built beside the
 * old one: processes built for that one ask it until they are gone.
 */
export interface Projection<Document extends JsonObject = JsonObject, Event extends DomainEvent = DomainEvent> {
  /** Names the collection: `training-jobs`. */
  readonly name: string;
  readonly version: number;
  readonly indexes: readonly Index[];
  /** See `Collection.shared`. A change is a new version. */
  readonly shared?: readonly string[];
  /**
   * Dense numbers from 1 in log order, one field for each: counted within the documents that share the values of
   * `within`, given once, as soon as none of those is null, and kept by the host whatever a handler returns. They make
   * totals and offsets cheap. An index on `within` and the field is created automatically. Numbered documents keep the
   * values of `within`, and documents of such a projection are never removed: an event whose handler tries either parks
   * its key.
   */
  readonly ordinals?: readonly { readonly field: string; readonly within: readonly string[] }[];
  /**
   * Documents that count the others, kept by the host beside them: sums of a day, of a model. They follow from the documents alone, so
   * that their handlers need not know them, and are found by fields that only they have.
   */
  readonly totals?: readonly TotalsOf<Document>[];
  /** Types of events after which replaced data must be unreadable in the store's files. */
  readonly erases?: readonly string[];
  /** Id of the document an event belongs to; null for none. If it throws, those events of the stream are parked. */
  key(event: Recorded<Event>): string | null;
  /**
   * The document after each type of event; null removes it (or leaves it absent). Returning the same document changes
   * nothing. An error of a handler parks the key: this event and the key's later ones wait, other keys continue.
   */
  readonly on: Handlers<Document | null, Event>;
}

/** A kind of totals. Pure. */
export interface TotalsOf<Document extends JsonObject, Total extends JsonObject = JsonObject> {
  /** The fields of a document that decide its total and what it adds there: a change of others alone changes no total. */
  readonly fields: readonly string[];
  /** Id of the total that a document counts in, which no document has; null for none. */
  key(document: Document): string | null;
  /** That total before its first document. */
  empty(document: Document): Total;
  /** Counts a document in (1), or out again as it was then (-1), in place. */
  count(total: Total, document: Document, times: 1 | -1): void;
  /** Whether it counts no document any more, and is removed: a rebuild from a log of which they were erased would not have it. */
  isEmpty(total: Total): boolean;
}
