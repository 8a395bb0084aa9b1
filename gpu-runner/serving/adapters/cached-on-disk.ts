import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredFile } from '#domain/training-job/index.js';

/** Metadata of a cached adapter: a small file named after the folder, with this extension. */
export interface Note {
  /** The training job's id. */
  readonly id: string;
  readonly objectPrefix: string;
  /** Key of one of its objects: if that is missing, the weights were deleted. */
  readonly probe: string;
  readonly bytes: number;
  /** Files in the folder. */
  readonly files: readonly Pick<StoredFile, 'name' | 'sha256'>[];
}

/** A cached file is not the one that was fetched, or cannot be read. */
class DamagedCacheError extends Error {
  override readonly name = 'DamagedCacheError';
  readonly code = 'damaged_cache';
}

/** Whether an error is a damaged cache, also if it comes from another thread, where its class is lost. */
export const isDamagedCache = (error: unknown): boolean => (error as { code?: unknown }).code === 'damaged_cache';

export const NOTE = '.note.json';

/** The complete folders of a cache, those fetched longest ago first. Incomplete ones are removed. */
export async function cachedOnDisk(
  directory: string,
): Promise<readonly { readonly name: string; readonly note: Note }[]> {
  const names = new Set(await readdir(directory).catch(() => []));
  const whole: { name: string; note: Note; since: number }[] = [];
  for (const name of names) {
    const isFolder = /^[0-9a-f]{64}$/.test(name);
    const note = isFolder && names.has(`${name}${NOTE}`) ? await readNote(join(directory, `${name}${NOTE}`)) : null;
    // Somebody may remove it meanwhile.
    const since = note && (await stat(join(directory, name)).catch(() => null))?.mtimeMs;
    if (note && since) whole.push({ name, note, since });
    else if (isFolder || !name.endsWith(NOTE) || !names.has(name.slice(0, -NOTE.length)))
      await rm(join(directory, name), { recursive: true, force: true });
  }
  return whole.toSorted((a, b) => a.since - b.since);
}

/**
 * Reads all files of a cached folder before they are loaded into memory.
 * @throws DamagedCacheError
 */
export function checkCached(directory: string): void {
  let damaged: string | undefined;
  try {
    const { files } = noteIn(readFileSync(`${directory}${NOTE}`, 'utf8'));
    damaged = files.find(({ name, sha256 }) => sha256 !== sha256Of(readFileSync(join(directory, name))))?.name;
  } catch (error) {
    throw unreadable(error);
  }
  if (damaged !== undefined) throw notFetched(damaged);
}

/**
 * As `checkCached`, but for threads that must not be blocked: large files are read in pieces.
 * @throws DamagedCacheError
 */
export async function checkCachedInTurns(directory: string): Promise<void> {
  let damaged: string | undefined;
  try {
    const { files } = noteIn(await readFile(`${directory}${NOTE}`, 'utf8'));
    for (const { name, sha256 } of files) {
      const hash = createHash('sha256');
      for await (const piece of createReadStream(join(directory, name))) hash.update(piece as Uint8Array);
      if (hash.digest('hex') !== sha256) damaged ??= name;
    }
  } catch (error) {
    throw unreadable(error);
  }
  if (damaged !== undefined) throw notFetched(damaged);
}

const unreadable = (cause: unknown) => new DamagedCacheError('a cached file cannot be read', { cause });
const notFetched = (name: string) => new DamagedCacheError(`the cached ${name} is not the file that was fetched`);
const sha256Of = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Syncs a folder, so that its names survive a power failure. */
export async function syncFolder(directory: string): Promise<void> {
  const folder = await open(directory);
  await folder.sync().finally(() => folder.close());
}

async function readNote(path: string): Promise<Note | null> {
  try {
    return noteIn(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}

/** @throws Error when it is invalid */
function noteIn(text: string): Note {
  const note = JSON.parse(text) as Note;
  const { id, objectPrefix, probe, bytes, files } = note;
  const texts = [id, objectPrefix, probe, ...files.flatMap(({ name, sha256 }) => [name, sha256])];
  if (typeof bytes === 'number' && files.length > 0 && texts.every((each) => typeof each === 'string')) return note;
  throw new TypeError('no note of a cached adapter');
}
