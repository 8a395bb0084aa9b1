import { openForReading } from './database.js';

/** `[id, stream, type, data, metadata, checksum]` of a held event; a packed one has bytes as data, and empty metadata. */
export type HeldRow = readonly [
  ...[id: string, stream: string, type: string],
  ...[data: string | Uint8Array, metadata: string, checksum: number],
];
export const HELD_COLUMNS = 'id, stream, type, data, metadata, checksum';
/** A held event has no place in the log yet; its checksum is that of this one. */
export const HELD_AT = 0;

/** How many events are held in the log of a folder: calls that were interrupted, if no system runs there. */
export function countHeld(directory: string): number {
  const database = openForReading(directory);
  try {
    // Earlier formats have no such table.
    if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'open_calls'").get() === undefined) return 0;
    return Object.values(database.prepare('SELECT count(*) FROM open_calls').get()!)[0] as number;
  } finally {
    database.close();
  }
}
