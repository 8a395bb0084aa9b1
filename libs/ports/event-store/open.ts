import type { ObjectStoreAddress } from '#ports/object-store/open.js';
import { ContentKeys, type ContentKeysLocation } from '#ports/key-store/content-keys.js';
import { CutReader, type Cut } from './cut.js';
import type { EventReader } from './port.js';
import { OpeningReader } from './sealing.js';
import { UpcastingReader } from './upcasting.js';

/** The log's adapter and place, as plain data that a thread can be given. */
export type EventLogLocation = (
  | /** `directory`: the data folder. `archive`: the object store that has archived events. */
    { readonly adapter: 'sqlite'; readonly directory: string; readonly archive?: ObjectStoreAddress }
    /** `address`: EventStoreDB's connection string. `sealKeys`: of the log's seal; absent: every event is read. Never log them. */
  | { readonly adapter: 'eventstoredb'; readonly address: string; readonly sealKeys?: readonly Uint8Array[] }
) & {
  /** Absent: the whole log. */
  readonly cut?: Cut;
};

/**
 * Reads the log in any thread, every event in its newest shape. The log must have been made. Adapters are loaded when they are chosen.
 * @param keys of the contents of calls; absent if contents were never encrypted
 */
export async function openEventReader(location: EventLogLocation, keys?: ContentKeysLocation): Promise<EventReader> {
  const stored = await openStoredEvents(location);
  return new UpcastingReader(keys ? new OpeningReader(stored, new ContentKeys(keys)) : stored);
}

/** The same, with events as they were stored. */
export async function openStoredEvents({ cut, ...location }: EventLogLocation): Promise<EventReader> {
  const whole = await openAdapter(location);
  return cut ? new CutReader(whole, cut) : whole;
}

async function openAdapter(location: EventLogLocation): Promise<EventReader> {
  if (location.adapter === 'eventstoredb') {
    const { openEventStoreDbReader } = await import('./eventstoredb/index.js');
    return openEventStoreDbReader({ address: location.address, sealKeys: location.sealKeys });
  }
  const { openSqliteEventReader } = await import('./sqlite/index.js');
  return openSqliteEventReader(location);
}
