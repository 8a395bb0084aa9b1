import { fileURLToPath } from 'node:url';
import { findInstall, InstallError, type EngineFolders } from '../index.js';
import {
  makeEnvironment,
  packagesIn,
  pythonOf,
  readLockAt,
  type EnvironmentProgress,
  type Lock,
  type PythonFacts,
} from '../python/index.js';

/** Folder of the environments in a folder of engines. */
export const VLLM = 'vllm';

export interface VllmInstall {
  readonly folder: string;
  /** The program. */
  readonly python: string;
  readonly facts: PythonFacts;
}

export interface VllmInstallOptions {
  /** Folders of engines; the first is written to. */
  readonly folders: EngineFolders;
  /** The program that creates the environment. */
  readonly python: string;
  readonly signal?: AbortSignal;
  readonly lock?: Lock;
  /** Free bytes that are required. */
  readonly needBytes?: number;
  readonly platform?: NodeJS.Platform;
}

const LOCK = fileURLToPath(new URL('../../../../gpu-runner/engines/vllm/python/requirements.lock', import.meta.url));
/** The environment, and its packages until it is whole. */
const NEED_BYTES = 18e9;
/** vLLM itself is not loaded, which takes a minute and asks for the card. */
const VERSIONS = [
  'import json, torch, transformers',
  'from importlib.metadata import version',
  'print(json.dumps({name: version(name) for name in ("vllm", "torch", "transformers")}))',
].join('\n');

export const readVllmLock = (path = LOCK): Lock => readLockAt(path);

/** The environment that was created from this release's lock; null if there is none. */
export function findVllm(folders: readonly string[], lock = readVllmLock()): VllmInstall | null {
  const install = findInstall<PythonFacts>(folders, VLLM, lock.key);
  return install && { ...install, python: pythonOf(install.folder) };
}

/**
 * Creates the virtual environment of vLLM from the lock, unless one of the folders has it. Progress is in packages.
 * @throws InstallError off Linux, if Python or room is missing, or a package cannot be fetched
 * @throws the signal's reason
 */
export async function* installVllm(options: VllmInstallOptions): AsyncGenerator<EnvironmentProgress, VllmInstall> {
  const { folders, python, signal, lock = readVllmLock(), platform = process.platform } = options;
  const here = findVllm(folders, lock);
  if (here) return here;
  if (platform !== 'linux') throw new InstallError(`vLLM runs on Linux with a GPU of NVIDIA, and this is ${platform}`);
  const [own] = folders;
  yield* makeEnvironment({
    ...{ own, engine: VLLM, key: lock.key, packages: packagesIn(lock), versions: VERSIONS, python },
    ...{ needBytes: options.needBytes ?? NEED_BYTES, ...(signal && { signal }) },
  });
  return findVllm([own], lock)!;
}
