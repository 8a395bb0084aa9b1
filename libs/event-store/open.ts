import type { EventReader } from './port.js';

/** Which adapter holds the log, and where. Plain, so that it can be handed to a thread. */
export type EventLogLocation =
  /** `directory`: the data folder. */
  | { readonly adapter: 'sqlite'; readonly directory: string }
  /** `address`: EventStoreDB's connection string. */
  | { readonly adapter: 'eventstoredb'; readonly address: string };

/** Reads the log, in any thread. It must have been made. Adapters are loaded when they are chosen. */
export async function openEventReader(location: EventLogLocation): Promise<EventReader> {
  if (location.adapter === 'eventstoredb') {
    const { openEventStoreDbReader } = await import('./eventstoredb/index.js');
    return openEventStoreDbReader({ address: location.address });
  }
  const { openSqliteEventReader } = await import('./sqlite/index.js');
  return openSqliteEventReader({ directory: location.directory });
}
