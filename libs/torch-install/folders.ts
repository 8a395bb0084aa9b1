import { join } from 'node:path';
import { findInstall, type InstallFacts } from '#engine-install/index.js';
import { readLock } from './lock.js';

/** Folder of the environments in a folder of engines. */
export const TORCH = 'torch';

/** `versions` are those of the Python packages. */
export interface TorchFacts extends InstallFacts {
  readonly python: string;
}

export interface TorchInstall {
  readonly folder: string;
  /** The program. */
  readonly python: string;
  readonly facts: TorchFacts;
}

export const pythonOf = (folder: string): string => join(folder, 'bin', 'python');

/** The environment that was made from this release's lock; null if there is none. */
export function findTorch(folders: readonly string[], lock = readLock()): TorchInstall | null {
  const install = findInstall<TorchFacts>(folders, TORCH, lock.key);
  return install && { ...install, python: pythonOf(install.folder) };
}
