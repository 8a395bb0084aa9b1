import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KEYS_FILE } from '#ports/key-store/sqlite/keys-file.js';
import { place, writeSynced } from '#ports/object-store/folder/files.js';
import { openObjectStore, type ObjectStoreAddress } from '#ports/object-store/open.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import { sha256OfFile } from '#primitives/files/sha256.js';
import { contentOf, withCopy } from './copied-database.js';
import { BackupDamagedError, isCount, isSha256 } from './manifest.js';
import { RestoreRefusedError } from './restore.js';

/** Beside the copy: which it is. */
const FACTS_FILE = 'content-keys.json';
/** A larger one is none. */
const MAX_FACTS_BYTES = 64 * 1024;

/** The copy of the keys of contents. */
export interface KeptKeys {
  readonly logId: string;
  readonly copiedAt: string;
  readonly size: number;
  readonly sha256: string;
}

/**
 * Keeps one copy of the keys of contents, apart from all backups: it replaces the one before, so that a key which was destroyed is
 * in none.
 * @param directory of the keys
 * @throws RestoreRefusedError when the place has the keys of another log
 */
export async function keepKeys(
  directory: string,
  { to, logId, now = () => new Date() }: { to: ObjectStoreAddress; logId: string; now?: () => Date },
): Promise<KeptKeys> {
  const objects = await openObjectStore(to);
  try {
    const before = await factsIn(objects);
    if (before !== null && before.logId !== logId)
      throw new RestoreRefusedError(
        `the place for the keys has those of another event log (${before.logId}) than this one (${logId}): give a place of its own`,
      );
    return await withCopy(directory, KEYS_FILE, async (folder) => {
      const copiedAt = now().toISOString();
      const { size, sha256 } = await objects.put(KEYS_FILE, contentOf(join(folder, KEYS_FILE)));
      const facts: KeptKeys = { logId, copiedAt, size, sha256 };
      await objects.put(FACTS_FILE, Buffer.from(`${JSON.stringify(facts, null, 2)}\n`));
      return facts;
    });
  } finally {
    await objects.close();
  }
}

/**
 * Puts the copy of the keys back.
 * @throws RestoreRefusedError when there are other keys already, or those of another log
 * @throws BackupDamagedError
 */
export async function restoreKeys(
  directory: string,
  { from, logId }: { from: ObjectStoreAddress; logId: string },
): Promise<KeptKeys> {
  const path = join(directory, KEYS_FILE);
  const objects = await openObjectStore(from);
  try {
    const facts = await factsIn(objects);
    if (facts === null) throw new BackupDamagedError('the place for the keys has no copy of them');
    if (facts.logId !== logId)
      throw new RestoreRefusedError(`the keys belong to another event log (${facts.logId}) than the backup (${logId})`);
    if (existsSync(path)) {
      if ((await sha256OfFile(path)) === facts.sha256) return facts;
      throw new RestoreRefusedError(`${path} is there, and nothing is overwritten: move it away first`);
    }
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const incoming = `${path}.restoring`;
    await rm(incoming, { force: true });
    const { sha256 } = await writeSynced(
      incoming,
      await objects.get(KEYS_FILE, { start: 0, end: facts.size + 1 }),
      Infinity,
    );
    if (sha256 !== facts.sha256)
      throw new BackupDamagedError('the copy of the keys is damaged: its SHA-256 is another');
    await place(incoming, path);
    return facts;
  } finally {
    await objects.close();
  }
}

async function factsIn(objects: Awaited<ReturnType<typeof openObjectStore>>): Promise<KeptKeys | null> {
  let text: string;
  try {
    text = Buffer.concat(
      await Array.fromAsync(await objects.get(FACTS_FILE, { start: 0, end: MAX_FACTS_BYTES })),
    ).toString('utf8');
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return null;
    throw error;
  }
  try {
    const facts = JSON.parse(text) as KeptKeys;
    if (
      typeof facts.logId === 'string' &&
      typeof facts.copiedAt === 'string' &&
      isCount(facts.size) &&
      isSha256(facts.sha256)
    )
      return facts;
  } catch {
    // Answered below.
  }
  throw new BackupDamagedError(`the copy of the keys is damaged: its ${FACTS_FILE} is not one`);
}
