import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'anneal-confined-';

export interface LentFolder {
  readonly folder: string;
  /** With all that is in it. */
  readonly remove: () => Promise<void>;
}

/**
 * Lends a folder of its own, in the folder for temporary files (`TMPDIR`), to one work. Whoever is killed leaves one behind:
 * it is removed by the next one to come once it is older than any work may last.
 * @param mostMs how long the work may last
 */
export async function lendFolder(mostMs: number): Promise<LentFolder> {
  await removeForgotten(mostMs).catch(() => undefined);
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

/** `lendFolder` for a work that is a function. */
export async function withFolder<T>(mostMs: number, use: (folder: string) => Promise<T>): Promise<T> {
  const { folder, remove } = await lendFolder(mostMs);
  try {
    return await use(folder);
  } finally {
    await remove();
  }
}

async function removeForgotten(mostMs: number): Promise<void> {
  const before = Date.now() - 2 * mostMs;
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(tmpdir(), name);
    const { mtimeMs } = await stat(folder);
    if (mtimeMs < before) await rm(folder, { recursive: true, force: true });
  }
}
