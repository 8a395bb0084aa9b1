import type { Connections } from '../connections.js';
import type { Control } from '../control.js';
import type { EventLog } from '../log/event-log.js';

/** The log and the state that the services share. */
export interface ServiceContext {
  readonly log: EventLog;
  readonly control: Control;
  readonly connections: Connections;
  /** Passwords by user name; null where nobody is asked. */
  readonly users: Readonly<Record<string, string>> | null;
  readonly port: () => number;
}
