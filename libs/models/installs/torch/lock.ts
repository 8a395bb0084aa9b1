import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Build } from './build.js';

/** The folder of the Python package `anneal_runner`, whose sources lie beside the programs. */
export const PYTHON_PACKAGE = fileURLToPath(new URL('../../../../gpu-runner/engines/torch/python/', import.meta.url));

/** The oldest Python that all packages of the lock run on. */
export const MIN_PYTHON = [3, 11] as const;

/** The Python packages of the torch engine, each pinned by version and hash. */
export interface Lock {
  readonly path: string;
  /** First 12 hexadecimal digits of its sha256: another lock creates another environment. */
  readonly key: string;
  /** Packages, some of which are for other platforms only. */
  readonly packages: number;
}

/**
 * Packages that torch loads on a GPU alone. PyPI has no build of torch for Linux without CUDA, and the libraries of the one that it has
 * load the other packages of NVIDIA wherever they run.
 */
const OF_GPUS: ReadonlySet<string> = new Set([
  'cuda-bindings',
  'cuda-pathfinder',
  'cuda-toolkit',
  'nvidia-cuda-cccl',
  'nvidia-cusolver',
  'nvidia-nvtx',
  'triton',
]);

/** The lines of a lock for a build, of each package that they name. */
export function packagesFor(build: Build, { path }: Lock): readonly string[] {
  const packages = readFileSync(path, 'utf8').split(/^(?=[\w.-]+==)/m);
  return packages.filter((lines) => build === 'cuda' || !OF_GPUS.has(lines.slice(0, lines.indexOf('=='))));
}

const countOf = (lines: string): number => (lines.match(/^[\w.-]+==/gm) ?? []).length;

export function readLock(path = fileURLToPath(new URL('requirements.lock', `file://${PYTHON_PACKAGE}`))): Lock {
  const content = readFileSync(path);
  const key = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { path, key, packages: countOf(content.toString()) };
}
