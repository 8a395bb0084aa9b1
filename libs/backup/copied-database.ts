import { createReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { lendFolder } from '#primitives/confined-process/folder.js';
import { requireDiskRoom } from '#primitives/files/room.js';

/** All pages in one step: a copy in several begins again at each write of another process. */
const PAGES_AT_ONCE = 2 ** 31 - 1;
/** Waits for another connection's lock. */
const BUSY_MS = 60_000;
/** After this, what a killed process left is removed. */
const MAX_COPY_MS = 24 * 60 * 60_000;
const READ_BYTES = 1024 * 1024;

/** There is too little room on the disk for the copy of a database. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
}

/**
 * Copies a SQLite database as it is at one moment, page by page, while others write to it, and removes the copy after its use. Pages
 * stay where they are, so that copies of two days are alike.
 * @param use is given the folder with the copy, of the same name
 * @throws NoRoomError
 */
export async function withCopy<T>(directory: string, name: string, use: (folder: string) => Promise<T>): Promise<T> {
  const path = join(directory, name);
  await requireDiskRoom(directory, sizeOf(path), (needed, left) => {
    const message = `a copy of ${name} needs ${needed} GB in ${directory} while it is stored, and ${left} GB are free`;
    return new NoRoomError(message);
  });
  const { folder, remove } = await lendFolder(MAX_COPY_MS, directory);
  try {
    const copy = join(folder, name);
    // The file is private before it has content.
    await (await open(copy, 'wx', 0o600)).close();
    const source = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
    try {
      await backup(source, copy, { rate: PAGES_AT_ONCE });
    } finally {
      source.close();
    }
    return await use(folder);
  } finally {
    await remove();
  }
}

export const contentOf = (path: string): AsyncIterable<Uint8Array> =>
  createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Uint8Array>;

/** Bytes of a database with its write-ahead log; 0 if there is none. */
export const sizeOf = (path: string): number =>
  ['', '-wal'].reduce((sum, suffix) => sum + (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0), 0);
