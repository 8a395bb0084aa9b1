import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

/** The folder of built servers: ANNEAL_SERVERS_CACHE, or `.cache/anneal-servers` in the home folder. */
export const serversCache = (): string =>
  process.env.ANNEAL_SERVERS_CACHE || join(homedir(), '.cache', 'anneal-servers');

/**
 * The folder `key` of the cache, built when it is missing. It is either whole or not there: it is built under another name and
 * renamed, by one process at a time.
 */
export async function cached(cache: string, key: string, build: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cache, key);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const unlock = await locked(join(cache, `${key}.lock`));
  try {
    if (existsSync(folder)) return folder;
    const unfinished = await mkdtemp(join(cache, `${key}.unfinished-`));
    try {
      await build(unfinished);
      await rename(unfinished, folder);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
    return folder;
  } finally {
    unlock();
  }
}

/** Waits for the lock. It is a transaction of SQLite, which the kernel ends with its process: none is left behind. */
async function locked(file: string): Promise<() => void> {
  const database = new DatabaseSync(file);
  for (;;) {
    try {
      database.exec('BEGIN EXCLUSIVE');
      return () => database.close();
    } catch (error) {
      if (!String(error).includes('locked')) throw error;
      await setTimeout(200);
    }
  }
}
