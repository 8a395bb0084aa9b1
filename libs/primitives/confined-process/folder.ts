import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'anneal-confined-';
const FORGOTTEN = new RegExp(`^${PREFIX}(\\d+)-`);

interface LentFolder {
  readonly folder: string;
  /** Removes the folder and its content. */
  readonly remove: () => Promise<void>;
}

/**
 * Lends a folder of its own, in the folder for temporary files (`TMPDIR`), to one work. Whoever is killed leaves one behind:
 * it is removed by the next one to come after twice the time that its own work may last; till when that is, its name says.
 * @param mostMs how long the work may last
 */
export async function lendFolder(mostMs: number): Promise<LentFolder> {
  await removeForgotten().catch(() => undefined);
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${Date.now() + 2 * mostMs}-`));
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

async function removeForgotten(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const until = FORGOTTEN.exec(name)?.[1];
    if (until !== undefined && Number(until) < Date.now())
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}
