import type { Decider, DomainEvent } from '#domain/decider.js';
import type { BriefCache } from './accounts/brief-cache.js';
import type { Ports } from './ports.js';

/** The reading side of `Application`, for its parts. */
export interface ApplicationReads {
  readonly ports: Ports;
  load<Event extends DomainEvent, State>(decider: Decider<never, Event, State>, id: string): Promise<State>;
  remember<T>(check: (key: string) => Promise<T>): BriefCache<T>;
}
