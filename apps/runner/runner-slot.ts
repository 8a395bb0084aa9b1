import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { FolderInUseError, lockFolder } from '#ports/event-store/sqlite/lock.js';
import type { Settings } from '#settings/index.js';

/** A folder of a runner's own, and the name that goes with it. */
interface RunnerSlot {
  readonly directory: string;
  readonly name: string;
  release(): void;
}

const MAX_ON_ONE_FOLDER = 64;

/**
 * The first folder below the data folder that no other runner has. It keeps its name from one start to the next, so
 * that a returning runner is known to have lost its running work, without waiting for its silence.
 */
export async function takeSlot({ dataDir, runnerName }: Settings): Promise<RunnerSlot> {
  for (let number = 1; number <= MAX_ON_ONE_FOLDER; number += 1) {
    const directory = join(dataDir, `gpu-runner-${number}`);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    try {
      const lock = lockFolder(directory);
      return { directory, name: nameOf(directory, number, runnerName), release: () => lock.release() };
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error;
    }
  }
  throw new FolderInUseError(dataDir);
}

/** Two hosts may have the same name, and two containers the same folder: not both. */
function nameOf(directory: string, number: number, given: string | null): string {
  if (given !== null) return number === 1 ? given : `${given}-${number}`;
  const host = hostname()
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 40);
  return `${host}-${createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 8)}`;
}
