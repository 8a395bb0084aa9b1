import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The Python packages of an engine, each pinned by version and hash. */
export interface Lock {
  readonly path: string;
  /** First 12 hexadecimal digits of its sha256: another lock creates another environment. */
  readonly key: string;
}

export const readLockAt = (path: string): Lock => ({
  path,
  key: createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 12),
});

/** The lines of each package that a lock names, some of them for other platforms only. */
export const packagesIn = ({ path }: Pick<Lock, 'path'>): readonly string[] =>
  readFileSync(path, 'utf8').split(/^(?=[\w.-]+==)/m);
