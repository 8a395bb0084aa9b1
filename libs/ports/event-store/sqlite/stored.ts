import type { DatabaseSync } from 'node:sqlite';
import { categoryOf } from '#domain/streams.js';
import { LogDamagedError } from '../port.js';
import type { StoredEvent } from '../stored-event.js';
import { isDamage } from './damage.js';
import { LogUnusableError, openForReading } from './database.js';
import { Unpacker, uuidText } from '#primitives/packing/index.js';
import { fromPosition, toPosition } from './position.js';
import { TEXT_COLUMNS, Texts, type TextRow } from './texts.js';

const PAGE = 512;
/** Lost names are empty, and such an event matches no tree. A removed stream has no name any more. */
const QUERY = `
  SELECT position, coalesce(streams.name, ''), revision, kinds.category, coalesce(kinds.type, ''), events.id, data, metadata
  FROM events LEFT JOIN streams ON streams.id = stream LEFT JOIN kinds ON kinds.id = kind
  WHERE position >= ? AND (streams.id IS NOT NULL OR stream NOT IN (SELECT stream FROM removed))
  ORDER BY position LIMIT ${PAGE}`;
/** The lowest that a file can have: what stands before the first position was not written by a log. */
const LOWEST = -(2n ** 63n);

type StoredRow = readonly [
  ...[position: number, stream: string, revision: number, category: string | null, type: string],
  ...[id: string | Uint8Array, data: string | Uint8Array, metadata: string],
];

function unpackerOf(database: DatabaseSync): Unpacker {
  const texts = new Texts(
    (id) =>
      database
        .prepare(`SELECT ${TEXT_COLUMNS} FROM texts WHERE id > ? ORDER BY id`)
        .all(id) as unknown as readonly TextRow[],
  );
  return new Unpacker((id) => texts.get(id));
}

/** The texts of a packed event. One that was changed has others than those that were stored, and matches no tree. */
function unpacked(unpacker: Unpacker, packed: Uint8Array): { readonly data: string; readonly metadata: string } {
  try {
    const [data, metadata] = unpacker.unpack(packed);
    return { data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
  } catch (error) {
    return { data: `it cannot be unpacked: ${(error as Error).message}`, metadata: '' };
  }
}

/**
 * Reads the log of a folder as stored, without parsing it or verifying checksums.
 * @param after a position; default: all
 * @throws LogNotFoundError, LogUnusableError; LogDamagedError if the file itself cannot be read
 */
export function* readStoredRows(directory: string, after: string | null = null): Generator<readonly StoredEvent[]> {
  let database: DatabaseSync | null = null;
  try {
    database = openForReading(directory);
    const page = database.prepare(QUERY);
    const unpacker = unpackerOf(database);
    for (let from: bigint | number = after === null ? LOWEST : fromPosition(after) + 1; ;) {
      const rows = page.all(from) as unknown as readonly StoredRow[];
      if (rows.length === 0) return;
      if (!Number.isSafeInteger(rows[0]![0])) throw new LogDamagedError(null, `no event was stored at ${rows[0]![0]}`);
      yield rows.map(([position, stream, revision, category, type, id, data, metadata]) => ({
        ...{ position: toPosition(position), stream, revision, id: typeof id === 'string' ? id : uuidText(id) },
        ...(data instanceof Uint8Array ? unpacked(unpacker, data) : { data, metadata }),
        // An event of another category would be missing from reads by category.
        type: category === categoryOf(stream) ? type : '',
      }));
      from = rows.at(-1)![0] + 1;
    }
  } catch (error) {
    // The opening names the cause of its error.
    const cause = error instanceof LogUnusableError ? error.cause : error;
    if (!(cause instanceof Error && isDamage(cause))) throw error;
    throw new LogDamagedError(null, cause.message, { cause });
  } finally {
    database?.close();
  }
}
