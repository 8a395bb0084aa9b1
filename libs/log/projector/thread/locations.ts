import type { ContentKeysLocation } from '#ports/key-store/content-keys.js';
import type { EventLogLocation } from '#ports/event-store/open.js';
import type { ReadStoreLocation } from '#ports/read-store/open.js';
import type { Projection } from '../projection.js';

/** The addresses of the log and the read store, as plain data that can be posted to a thread. */
export interface ProjectionLocations {
  readonly eventLog: EventLogLocation;
  /** Keys of the contents of calls; absent if contents were never encrypted. */
  readonly contentKeys?: ContentKeysLocation;
  readonly readStore: ReadStoreLocation;
  /** URL of a module that exports `projections`: a thread cannot be handed functions, so it imports them itself. */
  readonly projections: string;
}

/** What the thread of the host is started with. */
export interface HostSetup extends ProjectionLocations {
  /** Number of missing events from which a projection catches up in the thread of builds; default 20,000. */
  readonly farBehind?: number;
  /** Names of those that it runs; default: all. */
  readonly only?: readonly string[];
}

export const projectionsOf = async ({ projections }: ProjectionLocations): Promise<readonly Projection[]> =>
  ((await import(projections)) as { projections: readonly Projection[] }).projections;
