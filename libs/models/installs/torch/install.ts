import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outputOf, runTool, Unfinished, type EngineFolders } from '../index.js';
import { chooseBuild, type Build, type GpuSigns } from './build.js';
import { findTorch, keyOf, pythonOf, TORCH, type TorchFacts, type TorchInstall } from './folders.js';
import { linesFor, readLock, type Lock } from './lock.js';
import { requirePython } from './python.js';

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

/** An environment takes 5.5 or 4.6 GB, and its packages as many as 3 GB while they are fetched. */
const NEED_BYTES: Readonly<Record<Build, number>> = { cuda: 9e9, cpu: 7.5e9 };
const PIP = ['-m', 'pip', '--disable-pip-version-check', '--no-input'] as const;
/** Prints as JSON what decides results; fails where a package does not load. */
const VERSIONS = [
  'import json, platform, torch, transformers, peft, accelerate, safetensors, gguf, gliner2',
  'from importlib.metadata import version',
  'names = ("torch", "transformers", "peft", "accelerate", "safetensors", "gliner2")',
  'print(json.dumps({name: version(name) for name in names}))',
].join('\n');

/**
 * Creates the virtual environment of the torch engine from the lock, unless one of the folders has it: that of the CUDA
 * build serves the CPU too. An incomplete one is removed. Progress is in packages.
 * @throws InstallError if Python or room is missing, or a package cannot be fetched
 * @throws the signal's reason
 */
export async function* installTorch(options: InstallOptions): AsyncGenerator<InstallProgress, Installed> {
  const { folders, signal, lock = readLock() } = options;
  const { build, because } = await chooseBuild(options.build ?? null, options.signs, signal);
  const here = findTorch(folders, lock);
  if (here && (here.build === 'cuda' || build === 'cpu')) return { ...here, because, wasHere: true };
  const version = await requirePython(options.python, signal);
  const [own] = folders;
  const needBytes = options.needBytes ?? NEED_BYTES[build];
  const unfinished = await Unfinished.begin({ own, engine: TORCH, lockKey: keyOf(lock, build), needBytes });
  try {
    await outputOf(options.python, ['-m', 'venv', unfinished.folder], signal && { signal });
    yield* installPackages(unfinished.folder, lock, build, signal);
    const versions = await outputOf(pythonOf(unfinished.folder), ['-c', VERSIONS], signal && { signal });
    const lines = versions.split('\n');
    await unfinished.finish<TorchFacts>({
      python: version,
      versions: JSON.parse(lines.at(-1)!) as TorchFacts['versions'],
    });
  } finally {
    await unfinished.remove();
  }
  return { ...findTorch([own], lock)!, because, wasHere: false };
}

/** pip names each package when it collects it, and writes all of them at the end. */
async function* installPackages(
  environment: string,
  lock: Lock,
  build: Build,
  signal: AbortSignal | undefined,
): AsyncGenerator<InstallProgress> {
  // Wheels wait on the disk that has room for them.
  const temporary = join(environment, 'tmp');
  await mkdir(temporary);
  const { lines, packages: total } = linesFor(build, lock);
  const path = join(temporary, 'requirements.lock');
  await writeFile(path, lines);
  const args = [...PIP, 'install', '--require-hashes', '--only-binary', ':all:', '--no-deps', '-r', path];
  let done = 0;
  yield { done, total, build };
  for await (const line of runTool(pythonOf(environment), args, {
    environment: { TMPDIR: temporary },
    ...(signal && { signal }),
  })) {
    if (!/^(Collecting|Ignoring) /.test(line)) continue;
    done += 1;
    yield { done: Math.min(done, total), total, build };
  }
  await rm(temporary, { recursive: true, force: true });
}
