import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export const LOCK_FILE = 'lock.db';

export interface FolderLock {
  release(): void;
}

/**
 * Holds a data folder against a second process by an EXCLUSIVE transaction on `lock.db`: the kernel frees it however its
 * holder dies, which a file with a process id does not survive.
 * @throws FolderInUseError
 */
export function lockFolder(directory: string): FolderLock {
  const database = new DatabaseSync(join(directory, LOCK_FILE), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw (error as { errcode?: number }).errcode === SQLITE_BUSY ? new FolderInUseError(directory) : error;
  }
  return { release: () => database.close() };
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
