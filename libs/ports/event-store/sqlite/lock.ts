import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LogUnusableError } from './database.js';

const LOCK_FILE = 'lock.db';

export interface FolderLock {
  release(): void;
}

/**
 * Holds a data folder against a second process by an EXCLUSIVE transaction on `lock.db`: the kernel frees it however its
 * holder dies, which a file with a process id does not survive.
 * @throws FolderInUseError
 * @throws LogUnusableError when the file cannot be opened
 */
export function lockFolder(directory: string): FolderLock {
  const path = join(directory, LOCK_FILE);
  let database: DatabaseSync | null = null;
  try {
    const holding = (database = new DatabaseSync(path, { timeout: 0 }));
    holding.exec('BEGIN EXCLUSIVE');
    return { release: () => holding.close() };
  } catch (error) {
    database?.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw new FolderInUseError(directory);
    throw new LogUnusableError(`${path} cannot be opened: ${(error as Error).message}`, { cause: error });
  }
}

const SQLITE_BUSY = 5;
export const FOLDER_IN_USE = 'folder_in_use';

export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
  readonly code = FOLDER_IN_USE;
  constructor(readonly directory: string) {
    super(`the data folder ${directory} is in use by another process: stop that one, or choose another folder`);
  }
}
