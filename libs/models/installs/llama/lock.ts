import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = fileURLToPath(new URL('../../../../gpu-runner/engines/llama/packages/', import.meta.url));
export const LOCK_FILES = ['package.json', 'package-lock.json'] as const;

/** The packages of the llama engine, each pinned by version and hash. */
export interface LlamaLock {
  /** Folder of `package.json` and `package-lock.json`. */
  readonly directory: string;
  /** First 12 hexadecimal digits of the sha256 of both files: others are another installation. */
  readonly key: string;
}

export function readLlamaLock(directory = PACKAGES): LlamaLock {
  const hash = createHash('sha256');
  for (const file of LOCK_FILES) hash.update(readFileSync(join(directory, file)));
  return { directory, key: hash.digest('hex').slice(0, 12) };
}
