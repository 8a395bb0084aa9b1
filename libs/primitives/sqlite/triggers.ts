import type { DatabaseSync } from 'node:sqlite';

/**
 * Refuses a database in which somebody has left code that would change what is read or written: a trigger that puts a removed session or a
 * destroyed key back, for example.
 * @param file its name, for the message
 * @throws Error
 */
export function requireNoTriggers(database: DatabaseSync, file: string): void {
  const found = database.prepare("SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')").get();
  if (found)
    throw new Error(
      `${file} has a ${String(found['type'])} (${JSON.stringify(found['name'])}), which Anneal never makes: put ${file} back from a backup`,
    );
}
