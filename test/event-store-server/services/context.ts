import type { Connections } from '../connections.js';
import type { Control } from '../control.js';
import type { EventLog } from '../log/event-log.js';

/** Lines of versions, which differ in what a subscription tells: up to 23.10, 24.2 to 24.10.4, and 25.0.0. */
export const RELEASES = ['23.10', '24.10', '25.0'] as const;
export type Release = (typeof RELEASES)[number];

/** The log and the state that the services share. */
export interface ServiceContext {
  readonly log: EventLog;
  readonly release: Release;
  readonly commitTimeoutMs: number;
  readonly control: Control;
  readonly connections: Connections;
  /** Passwords by user name; null where nobody is asked. */
  readonly users: Readonly<Record<string, string>> | null;
  readonly port: () => number;
}
