import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LogLostError } from '../log-lost.js';
import { LOG_FILE } from './database.js';

/** Whether the folder has a log file that is not empty. */
export const holdsLogFile = (directory: string): boolean => holdsSomething(join(directory, LOG_FILE));

/** Written after the log's file has its first page: alone, it is the remainder of a log. */
export const walOf = (directory: string): string => join(directory, `${LOG_FILE}-wal`);

/** The files and folders that exist and are not empty. */
export const presentOf = (paths: readonly string[]): readonly string[] => paths.filter(holdsSomething);

/**
 * Prevents a log from being created where one was lost.
 * @param found evidence of the lost log
 * @throws LogLostError naming the evidence
 */
export function refuseLostLog(directory: string, found: readonly string[]): void {
  if (found.length === 0) return;
  throw new LogLostError(
    `the event log ${join(directory, LOG_FILE)} is missing or empty, but there was one (found: ${found.join(', ')}). ` +
      `Put ${LOG_FILE} back from the backup, or mount its volume. To begin anew without those data, move the whole folder ` +
      'away, or set ANNEAL_DATA_DIR to another one',
  );
}

function holdsSomething(path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  return there !== undefined && (there.isDirectory() ? readdirSync(path).length > 0 : there.size > 0);
}
