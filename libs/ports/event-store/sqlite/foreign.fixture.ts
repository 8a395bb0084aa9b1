import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { checksumOf } from './checksum.js';

/** What another program with access to the file does to it, while the system runs or not. */
export function changeLog<T>(directory: string, change: (file: DatabaseSync) => T): T {
  const file = new DatabaseSync(join(directory, 'log.db'), { timeout: 60_000 });
  try {
    return change(file);
  } finally {
    file.close();
  }
}

/**
 * Appends an event as the writer would, in a stream of its own: the first of a type once more, with a change of its texts.
 * @returns its position
 */
export const plant = (directory: string, type: string, stream: string, change: (text: string) => string): number =>
  changeLog(directory, (file) => {
    const found = file
      .prepare('SELECT kind, data, metadata FROM events JOIN kinds ON kinds.id = kind WHERE type = ? LIMIT 1')
      .get(type) as { kind: number; data: string; metadata: string };
    const { position } = file.prepare('SELECT max(position) + 1 AS position FROM events').get() as { position: number };
    const { lastInsertRowid } = file.prepare('INSERT INTO streams (name) VALUES (?)').run(stream);
    const [id, data, metadata] = [randomUUID(), change(found.data), change(found.metadata)];
    const checksum = checksumOf(position, stream, 0, type, id, data, metadata);
    file
      .prepare('INSERT INTO events VALUES (?, ?, 0, ?, ?, ?, ?, ?)')
      .run(position, lastInsertRowid, found.kind, id, data, metadata, checksum);
    return position;
  });
