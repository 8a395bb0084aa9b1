import type { Position } from '#ports/event-store/port.js';

/**
 * - `live`: it sees events within moments;
 * - `catching-up`: it continues from its checkpoint;
 * - `rebuilding`: its documents are built from the start; until then queries see the old version, if there is one;
 * - `stopped`: it needs an operator: `error` gives the reason;
 * - `disconnected`: the event store or the read store does not answer; it retries.
 */
export type ProjectionState = 'live' | 'catching-up' | 'rebuilding' | 'stopped' | 'disconnected';

export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  readonly state: ProjectionState;
  readonly position: Position | null;
  /**
   * Maximum number of events of the log that it has not passed; null for an unknown number, if positions do not count
   * events.
   */
  readonly lagEvents: number | null;
  /** Age of the last absorbed event; 0 when all events are absorbed. */
  readonly lagSeconds: number;
  /** Number of parked keys. */
  readonly parked: number;
  /** False while its documents cover only part of the log and no older version answers for them. */
  readonly complete: boolean;
  /** The reason for `stopped` or `disconnected`, or the failure of the last rebuild. */
  readonly error: string | null;
  /** Code of that error, if it has one: `log_damaged`, `log_unreadable`, `unknown_event_version`, `too_many_parked`. */
  readonly errorCode: string | null;
}

export interface ProjectionAdvance {
  /** Name of the collection, which says the version of the projection. */
  readonly collection: string;
  /** The empty string for none. */
  readonly position: Position;
  /** Whether a request may wait for this projection to catch up. */
  readonly live: boolean;
  readonly complete: boolean;
  /** Whether recent events may be missing, because the read model cannot advance. */
  readonly stale: boolean;
}
