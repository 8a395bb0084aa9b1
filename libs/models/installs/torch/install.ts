import type { EngineFolders } from '../index.js';
import { makeEnvironment, type Lock } from '../python/index.js';
import { chooseBuild, type Build, type GpuSigns } from './build.js';
import { findTorch, keyOf, TORCH, type TorchInstall } from './folders.js';
import { packagesFor, readLock } from './lock.js';

export interface InstallOptions {
  /** Folders of engines; the first is written to. */
  readonly folders: EngineFolders;
  /** The program that creates the environment. */
  readonly python: string;
  /** By default the build that fits the machine. */
  readonly build?: Build | null;
  readonly signs?: Partial<GpuSigns>;
  readonly signal?: AbortSignal;
  readonly lock?: Lock;
  /** Free bytes that are required. */
  readonly needBytes?: number;
}

interface InstallProgress {
  readonly done: number;
  readonly total: number;
  readonly build: Build;
}

type Installed = TorchInstall & {
  readonly wasHere: boolean;
  /** Why this build was chosen, now. */
  readonly because: string;
};

/** An environment takes 5.5 or 4.6 GB, and its packages as many as 3 GB until it is whole. */
const NEED_BYTES: Readonly<Record<Build, number>> = { cuda: 9e9, cpu: 7.5e9 };
/** Prints as JSON what decides results; fails where a package does not load. */
const VERSIONS = [
  'import json, platform, torch, transformers, peft, accelerate, safetensors, gguf, gliner2',
  'from importlib.metadata import version',
  'names = ("torch", "transformers", "peft", "accelerate", "safetensors", "gliner2")',
  'print(json.dumps({name: version(name) for name in names}))',
].join('\n');

/**
 * Creates the virtual environment of the torch engine from the lock, unless one of the folders has it: that of the CUDA
 * build serves the CPU too. An incomplete one is removed, but for the packages that were fetched: the next installation goes on from
 * them. Progress is in packages.
 * @throws InstallError if Python or room is missing, or a package cannot be fetched
 * @throws the signal's reason
 */
export async function* installTorch(options: InstallOptions): AsyncGenerator<InstallProgress, Installed> {
  const { folders, signal, lock = readLock() } = options;
  const { build, because } = await chooseBuild(options.build ?? null, options.signs, signal);
  const here = findTorch(folders, lock);
  if (here && (here.build === 'cuda' || build === 'cpu')) return { ...here, because, wasHere: true };
  const [own] = folders;
  const making = makeEnvironment({
    ...{ own, engine: TORCH, key: keyOf(lock, build), packages: packagesFor(build, lock), versions: VERSIONS },
    ...{ python: options.python, needBytes: options.needBytes ?? NEED_BYTES[build] },
    ...(signal && { signal }),
  });
  for await (const progress of making) yield { ...progress, build };
  return { ...findTorch([own], lock)!, because, wasHere: false };
}
