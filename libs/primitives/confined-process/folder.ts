import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isGone, ownMark } from './owner-mark.js';

const PREFIX = 'anneal-confined-';
const NAME = new RegExp(`^${PREFIX}(\\d+)-(?:([^-]+)-)?`);

interface LentFolder {
  readonly folder: string;
  /** Removes the folder and its content. */
  readonly remove: () => Promise<void>;
}

/**
 * Lends one task its own folder. A killed process leaves its folders behind: the next caller removes them, at once if
 * it can see that the process has died, else after twice the time that the task may take. Their names hold both.
 * @param maxMs how long the work may last
 * @param parent by default the folder for temporary files (`TMPDIR`)
 */
export async function lendFolder(maxMs: number, parent = tmpdir()): Promise<LentFolder> {
  await removeForgotten(parent).catch(() => undefined);
  const folder = await mkdtemp(join(parent, `${PREFIX}${Date.now() + 2 * maxMs}-${await ownMark()}-`));
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

/** `lendFolder` for a work that is a function. */
export async function withFolder<T>(maxMs: number, use: (folder: string) => Promise<T>): Promise<T> {
  const { folder, remove } = await lendFolder(maxMs);
  try {
    return await use(folder);
  } finally {
    await remove();
  }
}

async function removeForgotten(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, until, mark] = NAME.exec(name) ?? [];
    if (until === undefined) continue;
    if (Number(until) < Date.now() || (mark !== undefined && (await isGone(mark))))
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
