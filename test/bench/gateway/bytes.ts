import { readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Bytes in a data folder by part: tables and indexes of its databases, without their write-ahead logs, and folders of other files. */
export function bytesByPart(directory: string): Readonly<Record<string, number>> {
  const parts: Record<string, number> = {};
  const add = (part: string, bytes: number) => (parts[part] = (parts[part] ?? 0) + bytes);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || /-(wal|shm)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const name = relative(directory, path);
    if (entry.name.endsWith('.db')) for (const [table, bytes] of tablesIn(path)) add(`${name}: ${table}`, bytes);
    else add(name.split(sep).slice(0, 2).join(sep), statSync(path).size);
  }
  return parts;
}

function tablesIn(path: string): readonly (readonly [string, number])[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name').all();
    return rows.map(({ name, bytes }) => [name as string, bytes as number]);
  } finally {
    database.close();
  }
}
