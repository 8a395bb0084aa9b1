import type { Bus } from '#bus/port.js';
import type { Coordination } from '#coordination/port.js';
import type { EventStore } from '#event-store/port.js';
import type { ObjectStore } from '#object-store/port.js';
import type { ReadStoreQueries } from '#read-store/port.js';

/** The five ports, however they are served. Nothing above this knows which adapters these are. */
export interface Ports {
  readonly eventStore: EventStore;
  readonly readStore: ReadStoreQueries;
  readonly bus: Bus;
  readonly objectStore: ObjectStore;
  readonly coordination: Coordination;
}
