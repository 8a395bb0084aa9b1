import { createHmac, hash, type KeyObject } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { categoryOf } from '#domain/streams.js';
import { uuidText } from '#primitives/packing/index.js';
import { MAX_UNSEALED, type SealState, type UnsealedEvent } from '../seal.js';
import { openForReading } from './database.js';
import { toPosition } from './position.js';
import { LOG_ID } from './tables.js';

/** A place of the chain: the SHA-256 over all events from the start of the chain to this position, in hexadecimal digits. */
export interface Link {
  readonly position: number;
  readonly hash: string;
}

/** The sealed end of the log. Texts that packed events refer to have a chain of their own, in the order of their ids. */
export interface SealedEnd extends Link {
  /** The highest id of a text; -1 for none. */
  readonly text: number;
  readonly texts: string;
  /** Numbers of deleted streams whose events are still to be cleared. */
  readonly removed: readonly number[];
}

/** Keys of `meta`: the end that is sealed, and the last place before it that a signed checkpoint covers. */
export const SEALED_END = 'sealed-end';
export const SEALED_COVERED = 'sealed-covered';

export const NO_TEXTS = { text: -1, texts: '' };

/** `data` of a packed event has a character for each byte. */
export type LinkedRow = readonly [
  ...[position: number, stream: string, revision: number, type: string, id: string, data: string, metadata: string],
];

export const linked = (before: string, [position, stream, revision, type, id, data, metadata]: LinkedRow): string =>
  hash(
    'sha256',
    `${before}\n${JSON.stringify([position, stream, revision, type, id, data.length])}\n${data}\n${metadata}`,
  );

export const linkedText = (before: string, id: number, text: string): string =>
  hash('sha256', `${before}\n${id}\n${text}`);

/** A value of `meta` with its HMAC. */
export const sealed = (key: KeyObject, logId: string, name: string, value: object): string => {
  const text = JSON.stringify(value);
  return JSON.stringify([text, macOf(key, logId, name, text)]);
};

/** The position in a stored seal, whose HMAC a reader cannot verify: the writer does. */
export function positionOfEnd(value: string): number | null {
  try {
    return (JSON.parse((JSON.parse(value) as [string])[0]) as SealedEnd).position;
  } catch {
    return null;
  }
}

const macOf = (key: Uint8Array | KeyObject, logId: string, name: string, text: string): string =>
  createHmac('sha256', key).update(`${logId}\n${name}\n${text}`).digest('hex');

/** A held event as its HMAC covers it. */
export type SealedHeld = readonly [
  ...[id: string, stream: string, type: string],
  ...[data: string | Uint8Array, metadata: string],
];

export const heldMac = (
  key: Uint8Array | KeyObject,
  logId: string,
  [id, stream, type, data, metadata]: SealedHeld,
): string =>
  createHmac('sha256', key)
    .update(`${logId}\nheld\n${JSON.stringify([id, stream, type, metadata, typeof data, data.length])}\n`)
    .update(data)
    .digest('hex');

/** Every held event, with its HMAC; null: it has none. */
export function heldRows(database: DatabaseSync): readonly (readonly [...SealedHeld, mac: string | null])[] {
  // A log of an earlier release that is only read has no such table.
  if (!database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'open_calls'`).get()) return [];
  const query = database.prepare('SELECT id, stream, type, data, metadata, mac FROM open_calls');
  query.setReturnArrays(true);
  return query.all() as unknown as readonly (readonly [...SealedHeld, mac: string | null])[];
}

/** What the file says of its seal. */
export interface StoredSeal {
  readonly end: SealedEnd;
  readonly covered: Link;
}

/** @returns null unless both values were sealed with one of the keys */
export function storedSeal(database: DatabaseSync, keys: readonly Uint8Array[], logId: string): StoredSeal | null {
  const value = (name: string): unknown => {
    const text = metaOf(database, name);
    if (typeof text !== 'string') return null;
    try {
      const [inner, mac] = JSON.parse(text) as [string, string];
      return keys.some((key) => macOf(key, logId, name, inner) === mac) ? JSON.parse(inner) : null;
    } catch {
      return null;
    }
  };
  const [end, covered] = [value(SEALED_END), value(SEALED_COVERED)];
  return end === null || covered === null ? null : { end: end as SealedEnd, covered: covered as Link };
}

/** Compares the end of the log with its seal. Reads what is newer than the last covered place. */
export function inspectSeal(database: DatabaseSync, keys: readonly Uint8Array[], logId: string): SealState {
  if (metaOf(database, SEALED_END) === null && metaOf(database, SEALED_COVERED) === null) return { kind: 'none' };
  const stored = storedSeal(database, keys, logId);
  if (stored === null) return { kind: 'other-key' };
  const { end, covered } = stored;
  const hidden = hiddenStreams(database, end.removed);
  if (hidden.length > 0) return { kind: 'hidden', streams: hidden };
  const planted = heldRows(database).filter(
    ([id, stream, type, data, metadata, mac]) =>
      !keys.some((key) => heldMac(key, logId, [id, stream, type, data, metadata]) === mac),
  );
  if (planted.length > 0)
    return { kind: 'planted', streams: planted.slice(0, MAX_UNSEALED).map(([, stream]) => stream) };
  let last = covered.hash;
  let count = 0;
  const events: UnsealedEvent[] = [];
  for (const row of rowsAfter(database, covered.position)) {
    const [position, stream, revision, type] = row;
    if (position <= end.position) last = linked(last, row);
    else if ((count += 1) <= MAX_UNSEALED) events.push({ position: toPosition(position), stream, revision, type });
  }
  const after = covered.position === 0 ? null : toPosition(covered.position);
  if (last !== end.hash || textsUpTo(database, end.text).texts !== end.texts) return { kind: 'broken', after };
  return count === 0 ? { kind: 'whole' } : { kind: 'longer', count, events };
}

/** Events after a position as they are linked, without those of deleted streams. */
export function* rowsAfter(database: DatabaseSync, position: number): Generator<LinkedRow> {
  const query = database.prepare(`
    SELECT position, coalesce(streams.name, ''), revision, kinds.category, coalesce(kinds.type, ''), events.id, data, metadata
    FROM events LEFT JOIN streams ON streams.id = stream LEFT JOIN kinds ON kinds.id = kind
    WHERE position > ? AND stream NOT IN (SELECT stream FROM removed)
    ORDER BY position`);
  query.setReturnArrays(true);
  for (const row of query.iterate(position) as unknown as Iterable<StoredRow>) {
    const [at, stream, revision, category, type, id, data, metadata] = row;
    yield [
      ...([at, stream, revision] as const),
      // An event of another category would be missing from reads by category.
      category === categoryOf(stream) ? type : '',
      typeof id === 'string' ? id : uuidText(id),
      typeof data === 'string' ? data : Buffer.from(data).toString('latin1'),
      metadata,
    ];
  }
}

/**
 * Compares the log of a folder with its seal, running or not.
 * @throws LogNotFoundError, LogUnusableError
 */
export function inspectStoredSeal(directory: string, keys: readonly Uint8Array[]): SealState {
  const database = openForReading(directory);
  try {
    // One state of the file, while another process may write.
    database.exec('BEGIN');
    return inspectSeal(database, keys, String(metaOf(database, LOG_ID)));
  } finally {
    database.close();
  }
}

type StoredRow = readonly [
  ...[position: number, stream: string, revision: number, category: string | null, type: string],
  ...[id: string | Uint8Array, data: string | Uint8Array, metadata: string],
];

/** Streams that are marked as removed, and that this installation did not delete. */
function hiddenStreams(database: DatabaseSync, removed: readonly number[]): readonly string[] {
  const query = database.prepare(
    `SELECT stream, name FROM removed LEFT JOIN streams ON streams.id = stream ORDER BY stream`,
  );
  query.setReturnArrays(true);
  const rows = query.all() as unknown as readonly (readonly [number, string | null])[];
  const planted = rows.filter(([stream]) => !removed.includes(stream)).slice(0, MAX_UNSEALED);
  return planted.map(([stream, name]) => name ?? `number ${stream}, which has no name any more`);
}

/** The chain of texts up to an id; default: of all. */
export function textsUpTo(
  database: DatabaseSync,
  highest = Number.MAX_SAFE_INTEGER,
): Pick<SealedEnd, 'text' | 'texts'> {
  const query = database.prepare('SELECT id, text FROM texts WHERE id <= ? ORDER BY id');
  query.setReturnArrays(true);
  let chain = NO_TEXTS;
  for (const [id, text] of query.iterate(highest) as unknown as Iterable<readonly [number, string]>)
    chain = { text: id, texts: linkedText(chain.texts, id, text) };
  return chain;
}

function metaOf(database: DatabaseSync, name: string): unknown {
  const query = database.prepare('SELECT value FROM meta WHERE name = ?');
  query.setReturnArrays(true);
  return (query.get(name) as unknown as readonly unknown[] | undefined)?.[0] ?? null;
}
