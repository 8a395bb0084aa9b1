import { fileURLToPath } from 'node:url';
import { packagesIn, readLockAt, type Lock } from '../python/index.js';
import type { Build } from './build.js';

/** The folder of the Python package `anneal_runner`, whose sources lie beside the programs. */
export const PYTHON_PACKAGE = fileURLToPath(new URL('../../../../gpu-runner/engines/torch/python/', import.meta.url));

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
export const packagesFor = (build: Build, lock: Lock): readonly string[] =>
  packagesIn(lock).filter((lines) => build === 'cuda' || !OF_GPUS.has(lines.slice(0, lines.indexOf('=='))));

export const readLock = (path = fileURLToPath(new URL('requirements.lock', `file://${PYTHON_PACKAGE}`))): Lock =>
  readLockAt(path);
