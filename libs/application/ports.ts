import type { Bus } from '#ports/bus/port.js';
import type { Coordination } from '#ports/coordination/port.js';
import type { EventStore } from '#ports/event-store/port.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';

/** The five ports, whatever their adapters. */
export interface Ports {
  readonly eventStore: EventStore;
  readonly readStore: ReadStoreQueries;
  readonly bus: Bus;
  readonly objectStore: ObjectStore;
  readonly coordination: Coordination;
}
