import { LogDamagedError } from '../port.js';
import type { StoredEvent } from '../stored-event.js';
import { isDamage } from './damage.js';
import { openForReading } from './database.js';
import { toPosition } from './position.js';

const PAGE = 512;
/** Names that are lost are empty here: such an event fits no tree. */
const QUERY = `
  SELECT position, coalesce(streams.name, ''), revision, coalesce(kinds.type, ''), events.id, data, metadata
  FROM events LEFT JOIN streams ON streams.id = stream LEFT JOIN kinds ON kinds.id = kind
  WHERE position > ? AND stream NOT IN (SELECT stream FROM removed)
  ORDER BY position LIMIT ${PAGE}`;

/**
 * Reads the whole log of a folder as stored, without parsing it or verifying checksums.
 * @throws LogNotFoundError, LogUnusableError; LogDamagedError if the file itself cannot be read
 */
export function* readStoredRows(directory: string): Generator<readonly StoredEvent[]> {
  const database = openForReading(directory);
  try {
    const page = database.prepare(QUERY);
    for (let after = 0; ;) {
      const rows = page.all(after) as unknown as readonly (readonly [
        number,
        string,
        number,
        string,
        string,
        string,
        string,
      ])[];
      if (rows.length === 0) return;
      yield rows.map(([position, stream, revision, type, id, data, metadata]) => ({
        ...{ position: toPosition(position), stream, revision, type, id, data, metadata },
      }));
      after = rows.at(-1)![0];
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new LogDamagedError(null, (error as Error).message, { cause: error });
  } finally {
    database.close();
  }
}
