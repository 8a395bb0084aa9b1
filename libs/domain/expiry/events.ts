import type { EventsOf, EventTypes } from '../decider.js';
import type { RetentionKind } from '../retention/index.js';

/** Result of one day's pass over the contents of a kind. */
export type Expired = {
  readonly workspaceId: string;
  readonly kind: RetentionKind;
  /** UTC: `2030-01-02`. */
  readonly day: string;
  /** Contents made before this time had expired. */
  readonly before: string;
  readonly erased: number;
  /** Left because a hold covers it. */
  readonly held: number;
  /** Left because it is in use; the next day tries again. */
  readonly inUse: number;
};

export type ExpiryEvent = EventsOf<{
  'retention-applied.v1': Expired & { appliedAt: string };
}>;

export const EXPIRY_EVENT_TYPES: EventTypes<ExpiryEvent> = {
  'retention-applied.v1': true,
};
