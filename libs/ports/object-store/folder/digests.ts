import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Digest } from './files.js';

/**
 * Digests computed while uploads were written, so that sealing does not read them again. A digest applies only to the
 * very file it was made for (inode, size and time); it is a cache, never the truth.
 */
export class Digests {
  constructor(private readonly directory: string) {}

  async remember(key: string, path: string, digest: Digest): Promise<void> {
    const note = join(this.directory, key);
    await mkdir(dirname(note), { recursive: true });
    await writeFile(note, JSON.stringify({ file: await identity(path), ...digest }));
  }

  /** @returns null if nothing certain is known */
  async recall(key: string, path: string): Promise<Digest | null> {
    try {
      const note = JSON.parse(await readFile(join(this.directory, key), 'utf8')) as Digest & { readonly file: string };
      const { file, size, sha256 } = note;
      return file === (await identity(path)) ? { size, sha256 } : null;
    } catch {
      return null;
    }
  }

  async forget(key: string): Promise<void> {
    await rm(join(this.directory, key), { force: true });
  }
}

async function identity(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}
