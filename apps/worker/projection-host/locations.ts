import type { EventLogLocation } from '#event-store/open.js';
import type { ReadStoreLocation } from '#read-store/open.js';

/** Where a projection thread finds the log and puts the documents. Plain, so that it can be handed to a thread. */
export interface ProjectionLocations {
  readonly eventLog: EventLogLocation;
  readonly readStore: ReadStoreLocation;
  /** URL of a module that exports `projections`. Default: all there are. */
  readonly projections?: string;
}
