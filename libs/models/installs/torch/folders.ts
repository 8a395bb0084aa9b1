import { findInstall } from '../index.js';
import { pythonOf, type Lock, type PythonFacts } from '../python/index.js';
import type { Build } from './build.js';
import { readLock } from './lock.js';

/** Folder of the environments in a folder of engines. */
export const TORCH = 'torch';

export interface TorchInstall {
  readonly folder: string;
  /** The program. */
  readonly python: string;
  readonly facts: PythonFacts;
  readonly build: Build;
}

/** Name of the folder of a build of a lock. */
export const keyOf = ({ key }: Pick<Lock, 'key'>, build: Build): string => (build === 'cuda' ? key : `${key}-${build}`);

/** The environment that was created from this release's lock, preferring one with CUDA; null if there is none. */
export function findTorch(folders: readonly string[], lock = readLock()): TorchInstall | null {
  for (const build of ['cuda', 'cpu'] as const) {
    const install = findInstall<PythonFacts>(folders, TORCH, keyOf(lock, build));
    if (install) return { ...install, python: pythonOf(install.folder), build };
  }
  return null;
}
