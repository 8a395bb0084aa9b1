import type { EventReader } from './port.js';

/** Which adapter holds the log, and where. Plain, so that it can be handed to a thread. */
export interface EventLogLocation {
  readonly adapter: 'sqlite';
  /** The data folder. */
  readonly directory: string;
}

/** Reads the log, in any thread. It must have been made. Adapters are loaded when they are chosen. */
export async function openEventReader(location: EventLogLocation): Promise<EventReader> {
  const { openSqliteEventReader } = await import('./sqlite/index.js');
  return openSqliteEventReader({ directory: location.directory });
}
