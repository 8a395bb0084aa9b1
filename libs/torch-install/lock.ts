import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the Python package `anneal_runner`, whose sources lie beside the programs. */
export const PYTHON_PACKAGE = fileURLToPath(new URL('../../gpu-runner/python/', import.meta.url));

/** The oldest Python that all packages of the lock run on. */
export const MIN_PYTHON = [3, 11] as const;

/** The Python packages of the torch engine, each pinned by version and hash. */
export interface Lock {
  readonly path: string;
  /** First 12 hexadecimal digits of its sha256: another lock makes another environment. */
  readonly key: string;
  /** Packages, of which some are for other platforms only. */
  readonly packages: number;
}

export function readLock(path = fileURLToPath(new URL('requirements.lock', `file://${PYTHON_PACKAGE}`))): Lock {
  const content = readFileSync(path);
  const key = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { path, key, packages: (content.toString().match(/^[\w.-]+==/gm) ?? []).length };
}
