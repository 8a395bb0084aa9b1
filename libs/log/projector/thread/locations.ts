import type { EventLogLocation } from '#ports/event-store/open.js';
import type { ReadStoreLocation } from '#ports/read-store/open.js';
import type { Projection } from '../projection.js';

/** Where a projection thread finds the log and puts the documents. Plain, so that it can be handed to a thread. */
export interface ProjectionLocations {
  readonly eventLog: EventLogLocation;
  readonly readStore: ReadStoreLocation;
  /** URL of a module that exports `projections`: a thread cannot be handed functions, so it imports them itself. */
  readonly projections: string;
}

export const projectionsOf = async ({ projections }: ProjectionLocations): Promise<readonly Projection[]> =>
  ((await import(projections)) as { projections: readonly Projection[] }).projections;
