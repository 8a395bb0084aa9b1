import { createHash } from 'node:crypto';
import { TREE_PREFIX } from '#audit/tree-files.js';
import { ARCHIVE_PREFIX } from '#ports/event-store/archive/segment.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { sha256OfStream } from '#primitives/files/sha256.js';
import { atOnce } from '#primitives/waiting/at-once.js';
import { MigrationRefusedError } from './refused.js';

interface ObjectsCopy {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  readonly onProgress?: (bytes: number) => void;
  readonly signal: AbortSignal;
}

export interface CopiedObjects {
  readonly objects: number;
  readonly bytes: number;
}

const AT_ONCE = 8;

/** The tree names positions of its log, and what was archived is on the copied log again. */
export const isMoved = (key: string): boolean => !key.startsWith(TREE_PREFIX) && !key.startsWith(ARCHIVE_PREFIX);

/** Copies objects, each compared by SHA-256 with what arrived. Those that are there with the same content are kept. */
export async function copyObjects({ from, to, onProgress, signal }: ObjectsCopy): Promise<CopiedObjects> {
  let [objects, bytes] = [0, 0];
  const wanted = async function* () {
    for await (const object of from.list('')) if (isMoved(object.key)) yield object;
  };
  await atOnce(wanted(), AT_ONCE, async ({ key, size }) => {
    signal.throwIfAborted();
    const isThere = (await to.stat(key))?.size === size && (await sha256Of(from, key)) === (await sha256Of(to, key));
    if (!isThere && !(await copied(from, to, key))) return;
    objects += 1;
    bytes += size;
    onProgress?.(bytes);
  });
  return { objects, bytes };
}

const sha256Of = async (store: ObjectStore, key: string): Promise<string> => sha256OfStream(await store.get(key));

/** @returns false if it was deleted meanwhile */
async function copied(from: ObjectStore, to: ObjectStore, key: string): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    const content = await from.get(key);
    const hashed = async function* () {
      for await (const piece of content) {
        hash.update(piece);
        yield piece;
      }
    };
    const { sha256 } = await to.put(key, hashed());
    if (sha256 !== hash.digest('hex'))
      throw new MigrationRefusedError(`${key} arrived with another content: try again`);
    return true;
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return false;
    throw error;
  }
}
