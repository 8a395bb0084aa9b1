import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, opendir, realpath, rename, rmdir, stat } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { ObjectTooLargeError, type ObjectContent } from '../port.js';

export interface Digest {
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Writes a new file and syncs it. @throws ObjectTooLargeError */
export async function writeSynced(path: string, content: ObjectContent, maxBytes: number): Promise<Digest> {
  const hash = createHash('sha256');
  let size = 0;
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new ObjectTooLargeError(maxBytes);
      hash.update(chunk);
      await writeAll(file, chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { size, sha256: hash.digest('hex') };
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength;) offset += (await file.write(chunk, offset)).bytesWritten;
}

/** A symbolic link in a store would have files of another folder overwritten or removed. */
export class LinkInStoreError extends Error {
  override readonly name = 'LinkInStoreError';
  constructor(folder: string) {
    super(`${folder} is, or is in, a symbolic link that leads out of the object store: put a folder in its place`);
  }
}

/** @throws LinkInStoreError when a folder, if it exists, is elsewhere than it seems */
export async function requireInside(folder: string, root: string): Promise<void> {
  const [real, base] = await Promise.all([realpath(folder).catch(nullWhenMissing), realpath(root)]);
  if (real !== null && real !== base && !real.startsWith(base + sep)) throw new LinkInStoreError(folder);
}

/**
 * Renames and syncs the folder, so that the name survives a power cut too.
 * @throws LinkInStoreError with a root that the name would lead out of
 */
export async function place(from: string, to: string, root: string | null = null): Promise<void> {
  for (;;) {
    await mkdir(dirname(to), { recursive: true });
    if (root !== null) await requireInside(dirname(to), root);
    try {
      await rename(from, to);
      break;
    } catch (error) {
      // The folder was emptied and removed in between: make it again.
      if (!isMissing(error) || (await stat(from).catch(nullWhenMissing)) === null) throw error;
    }
  }
  const folder = await open(dirname(to));
  await folder.sync().finally(() => folder.close());
}

export async function digestOf(path: string): Promise<Digest> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.byteLength;
  }
  return { size, sha256: hash.digest('hex') };
}

export async function removeEmptyFolders(folder: string, root: string): Promise<void> {
  for (let current = folder; current.length > root.length; current = dirname(current)) {
    const empty = await isEmpty(current);
    if (!empty) return;
    const removed = await rmdir(current).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}

async function isEmpty(folder: string): Promise<boolean> {
  const entries = await opendir(folder).catch(nullWhenMissing);
  if (entries === null) return true;
  const first = await entries.read();
  await entries.close();
  return first === null;
}

export async function* nothing(): AsyncIterable<Uint8Array> {}

export const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException | null)?.code ?? '');
export const nullWhenMissing = (error: unknown): null => {
  if (isMissing(error)) return null;
  throw error;
};
