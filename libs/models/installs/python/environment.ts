import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outputOf, runTool, Unfinished, type InstallFacts } from '../index.js';
import { requirePython } from './program.js';

/** `versions` are those of the Python packages. */
export interface PythonFacts extends InstallFacts {
  readonly python: string;
}

interface Environment {
  /** Folder of engines that is written to. */
  readonly own: string;
  /** Name of the engine. */
  readonly engine: string;
  /** Name of its folder. */
  readonly key: string;
  /** The program that creates it. */
  readonly python: string;
  /** Lines of a lock, of each package. */
  readonly packages: readonly string[];
  /** Code that prints as JSON the versions that decide results; fails where a package does not load. */
  readonly versions: string;
  /** Free bytes that are required. */
  readonly needBytes: number;
  readonly signal?: AbortSignal;
}

/** In packages. */
export interface EnvironmentProgress {
  readonly done: number;
  readonly total: number;
}

/** Packages of one run of pip, which keeps none of them if it is interrupted; a run takes half a second to start. */
const AT_ONCE = 6;
const PIP = ['-m', 'pip', '--disable-pip-version-check', '--no-input'] as const;

export const pythonOf = (folder: string): string => join(folder, 'bin', 'python');

/**
 * Creates the virtual environment of an engine. An incomplete one is removed, but for the packages that were fetched: the next
 * installation goes on from them.
 * @throws InstallError if Python or room is missing, or a package cannot be fetched
 * @throws the signal's reason
 */
export async function* makeEnvironment(asked: Environment): AsyncGenerator<EnvironmentProgress> {
  const { own, engine, key, python, signal, needBytes } = asked;
  const version = await requirePython(python, engine, signal);
  const unfinished = await Unfinished.begin({ own, engine, lockKey: key, needBytes });
  try {
    await outputOf(python, ['-m', 'venv', unfinished.folder], signal && { signal });
    const fetched = join(own, engine, `${key}.fetched`);
    yield* installPackages(unfinished.folder, fetched, asked);
    const versions = await outputOf(pythonOf(unfinished.folder), ['-c', asked.versions], signal && { signal });
    const last = versions.split('\n').at(-1)!;
    await unfinished.finish<PythonFacts>({ python: version, versions: JSON.parse(last) as PythonFacts['versions'] });
    await rm(fetched, { recursive: true, force: true });
  } finally {
    await unfinished.remove();
  }
}

/** Fetches the packages, a few at a time, and unpacks them once all are there. Those that are there already are checked by their hash. */
async function* installPackages(
  environment: string,
  fetched: string,
  { packages, signal }: Environment,
): AsyncGenerator<EnvironmentProgress> {
  // Wheels wait on the disk that has room for them.
  const temporary = join(environment, 'tmp');
  await mkdir(temporary);
  const total = packages.length;
  const path = join(temporary, 'requirements.lock');
  const options = { environment: { TMPDIR: temporary }, ...(signal && { signal }) };
  const pip = async function* (command: readonly string[], lines: readonly string[]) {
    await writeFile(path, lines.join(''));
    const args = [...PIP, ...command, '--require-hashes', '--only-binary', ':all:', '--no-deps', '-r', path];
    yield* runTool(pythonOf(environment), args, options);
  };
  yield { done: 0, total };
  for (let at = 0; at < total; at += AT_ONCE) {
    let done = at;
    const most = Math.min(at + AT_ONCE, total);
    for await (const line of pip(['download', '--no-cache-dir', '--dest', fetched], packages.slice(at, most)))
      // pip names each package when it begins with it.
      if (/^(Collecting|Ignoring) /.test(line)) yield { done: (done = Math.min(done + 1, most)), total };
  }
  for await (const _ of pip(['install', '--no-index', '--find-links', fetched], packages));
  await rm(temporary, { recursive: true, force: true });
}
