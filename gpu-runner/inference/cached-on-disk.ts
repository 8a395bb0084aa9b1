import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What is known of a cached adapter beside its files: a small file with the folder's name and this ending. */
export interface Note {
  /** The training job's id. */
  readonly id: string;
  readonly objectPrefix: string;
  /** Key of one of its objects: where that is gone, the weights were deleted. */
  readonly probe: string;
  readonly bytes: number;
}

export const NOTE = '.note.json';

/** The whole folders of a cache, those fetched longest ago first. What is not whole is cleared away. */
export async function cachedOnDisk(
  directory: string,
): Promise<readonly { readonly name: string; readonly note: Note }[]> {
  const names = new Set(await readdir(directory).catch(() => []));
  const whole: { name: string; note: Note; since: number }[] = [];
  for (const name of names) {
    const isFolder = /^[0-9a-f]{64}$/.test(name);
    const note = isFolder && names.has(`${name}${NOTE}`) ? await readNote(join(directory, `${name}${NOTE}`)) : null;
    if (note) whole.push({ name, note, since: (await stat(join(directory, name))).mtimeMs });
    else if (isFolder || !name.endsWith(NOTE) || !names.has(name.slice(0, -NOTE.length)))
      await rm(join(directory, name), { recursive: true, force: true });
  }
  return whole.toSorted((a, b) => a.since - b.since);
}

async function readNote(path: string): Promise<Note | null> {
  try {
    const note = JSON.parse(await readFile(path, 'utf8')) as Partial<Note>;
    const { id, objectPrefix, probe, bytes } = note;
    const whole = [id, objectPrefix, probe].every((each) => typeof each === 'string') && typeof bytes === 'number';
    return whole ? (note as Note) : null;
  } catch {
    return null;
  }
}
