import { readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Written last: a folder without it is half made. */
export const MARKER = 'installed.json';

/** Content of the marker file. */
export interface InstallFacts {
  /** The key of the lock that the installation was made from. */
  readonly lock: string;
  /** Versions of the packages that decide results. */
  readonly versions: Readonly<Record<string, string>>;
  /** On disk. */
  readonly bytes: number;
}

/** The folders of installed engines, in search order. The first is the one that is written to. */
export type EngineFolders = readonly [own: string, ...others: string[]];

export const engineFolders = (settings: {
  readonly dataDir: string;
  readonly enginesDir: string | null;
}): EngineFolders => [
  join(settings.dataDir, 'engines'),
  ...(settings.enginesDir === null ? [] : [settings.enginesDir]),
];

/** The installation of an engine that was created from a lock; null if there is none. */
export function findInstall<Facts extends InstallFacts>(
  folders: readonly string[],
  engine: string,
  lockKey: string,
): { readonly folder: string; readonly facts: Facts } | null {
  for (const engines of folders) {
    const folder = join(engines, engine, lockKey);
    const facts = factsOf<Facts>(folder);
    if (facts?.lock === lockKey) return { folder, facts };
  }
  return null;
}

function factsOf<Facts>(folder: string): Facts | null {
  try {
    return JSON.parse(readFileSync(join(folder, MARKER), 'utf8')) as Facts;
  } catch {
    return null;
  }
}

/**
 * Deletes the installations of an engine, those of other releases and incomplete ones too.
 * @returns names of the deleted ones
 */
export async function removeInstalls(own: string, engine: string): Promise<readonly string[]> {
  const folder = join(own, engine);
  const names = await readdir(folder).catch(() => []);
  await rm(folder, { recursive: true, force: true });
  return names;
}
