import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outputOf, runTool, Unfinished, type EngineFolders } from '../index.js';
import { chooseBuild, type Build, type GpuSigns } from './build.js';
import { findTorch, keyOf, pythonOf, TORCH, type TorchFacts, type TorchInstall } from './folders.js';
import { packagesFor, readLock, type Lock } from './lock.js';
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

/** An environment takes 5.5 or 4.6 GB, and its packages as many as 3 GB until it is whole. */
const NEED_BYTES: Readonly<Record<Build, number>> = { cuda: 9e9, cpu: 7.5e9 };
/** Packages of one run of pip, which keeps none of them if it is interrupted; a run takes half a second to start. */
const AT_ONCE = 6;
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
  const version = await requirePython(options.python, signal);
  const [own] = folders;
  const needBytes = options.needBytes ?? NEED_BYTES[build];
  const unfinished = await Unfinished.begin({ own, engine: TORCH, lockKey: keyOf(lock, build), needBytes });
  try {
    await outputOf(options.python, ['-m', 'venv', unfinished.folder], signal && { signal });
    const fetched = join(own, TORCH, `${keyOf(lock, build)}.fetched`);
    yield* installPackages({ environment: unfinished.folder, fetched, lock, build }, signal);
    const versions = await outputOf(pythonOf(unfinished.folder), ['-c', VERSIONS], signal && { signal });
    const lines = versions.split('\n');
    await unfinished.finish<TorchFacts>({
      python: version,
      versions: JSON.parse(lines.at(-1)!) as TorchFacts['versions'],
    });
    await rm(fetched, { recursive: true, force: true });
  } finally {
    await unfinished.remove();
  }
  return { ...findTorch([own], lock)!, because, wasHere: false };
}

/** Fetches the packages, a few at a time, and unpacks them once all are there. Those that are there already are checked by their hash. */
async function* installPackages(
  {
    environment,
    fetched,
    lock,
    build,
  }: {
    readonly environment: string;
    /** The folder of the packages. */
    readonly fetched: string;
    readonly lock: Lock;
    readonly build: Build;
  },
  signal: AbortSignal | undefined,
): AsyncGenerator<InstallProgress> {
  // Wheels wait on the disk that has room for them.
  const temporary = join(environment, 'tmp');
  await mkdir(temporary);
  const packages = packagesFor(build, lock);
  const total = packages.length;
  const path = join(temporary, 'requirements.lock');
  const options = { environment: { TMPDIR: temporary }, ...(signal && { signal }) };
  const pip = async function* (command: readonly string[], lines: readonly string[]) {
    await writeFile(path, lines.join(''));
    const args = [...PIP, ...command, '--require-hashes', '--only-binary', ':all:', '--no-deps', '-r', path];
    yield* runTool(pythonOf(environment), args, options);
  };
  yield { done: 0, total, build };
  for (let at = 0; at < total; at += AT_ONCE) {
    let done = at;
    const most = Math.min(at + AT_ONCE, total);
    for await (const line of pip(['download', '--no-cache-dir', '--dest', fetched], packages.slice(at, most)))
      // pip names each package when it begins with it.
      if (/^(Collecting|Ignoring) /.test(line)) yield { done: (done = Math.min(done + 1, most)), total, build };
  }
  for await (const _ of pip(['install', '--no-index', '--find-links', fetched], packages));
  await rm(temporary, { recursive: true, force: true });
}
