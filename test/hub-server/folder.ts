import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** The files of a folder and of the folders in it, by their paths, for `HubServer.add`. */
export async function filesIn(folder: string): Promise<Record<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [relative(folder, path), await readFile(path)] as const)),
  );
}
