import { hash } from 'node:crypto';
import type { StoredEvent } from '#ports/event-store/stored-event.js';
import { TILE_WIDTH } from './tree/tiles.js';

export { entryOf, leafOf } from './entry.js';
export type { StoredEvent };

/** The facts of an event in an entry, without the content. */
type EntryFacts = Pick<StoredEvent, 'position' | 'stream' | 'revision' | 'type'>;

/** Bytes of a salt. */
const SALT_BYTES = 16;

/** null for a text that is no entry. */
export function factsOf(entry: string): EntryFacts | null {
  const [position, stream, revision, type, digest] = entry.split('\n');
  if (position === undefined || stream === undefined || type === undefined || digest === undefined) return null;
  return { position, stream, revision: Number(revision), type };
}

/**
 * The same events, each of which is noted first. A text that is not JSON is left to the comparison, which finds it
 * changed.
 */
export async function* noting(
  events: AsyncIterable<readonly StoredEvent[]> | Iterable<readonly StoredEvent[]>,
  note: (event: StoredEvent) => void | Promise<void>,
): AsyncGenerator<readonly StoredEvent[]> {
  for await (const page of events) {
    for (const event of page) {
      try {
        const noted = note(event);
        if (noted) await noted;
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    }
    yield page;
  }
}

/**
 * The salt of an event: the same each time, so that work which is repeated after a crash gives the same tree.
 * @param key 32 secret bytes, as hexadecimal digits
 */
export const saltOf = (key: string, { position, id }: StoredEvent): string =>
  hash('sha256', `${key}\n${position}\n${id}`, 'hex').slice(0, 2 * SALT_BYTES);

/** A bundle of entries (C2SP tlog-tiles): each after its length, in two bytes. */
export function encodeEntries(entries: readonly string[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const bytes = Buffer.from(entry);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat(parts);
}

/** @throws RangeError unless the bundle has exactly `width` entries */
export function decodeEntries(bytes: Buffer, width: number): string[] {
  const entries: string[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const end = at + 2 + bytes.readUInt16BE(at);
    if (end > bytes.length) break;
    entries.push(bytes.toString('utf8', at + 2, end));
    at = end;
  }
  if (at !== bytes.length || entries.length !== width) throw new RangeError(`a bundle has not the ${width} entries`);
  return entries;
}

export const encodeSalts = (salts: readonly string[]): Buffer => Buffer.from(salts.join(''), 'hex');

/** @throws RangeError unless the bundle has exactly `width` salts */
export function decodeSalts(bytes: Buffer, width: number): string[] {
  if (bytes.length !== width * SALT_BYTES) throw new RangeError(`${bytes.length} bytes are not ${width} salts`);
  const digits = bytes.toString('hex');
  return Array.from({ length: width }, (_, at) => digits.slice(at * 2 * SALT_BYTES, (at + 1) * 2 * SALT_BYTES));
}

/** Index of the bundle that has a leaf. */
export const bundleOf = (leaf: number): number => Math.floor(leaf / TILE_WIDTH);
