import type { CreateService } from '#primitives/thread/service.js';
import { makeBackup, type MakeBackupOptions } from '../make-backup.js';
import { startOf } from '../manifest.js';
import { BackupTarget } from '../target.js';

export type ThreadOptions = Omit<MakeBackupOptions, 'now' | 'onProgress' | 'signal'>;

/** Bytes of a backup that runs. */
export interface BackupProgress {
  readonly doneBytes: number;
  readonly totalBytes: number;
}
export const PROGRESS = 'progress';

const PROGRESS_MS = 500;

/**
 * Backups in a thread of their own. Methods: `newest()` returns when the newest backup of this installation in the target began, in milliseconds since
 * 1970, or null; `make()` makes one, and emits `PROGRESS`; `stop()` ends it.
 */
export const createService: CreateService<ThreadOptions> = (options, { emit }) => {
  const stopping = new AbortController();
  let toldAt = 0;
  const onProgress = (doneBytes: number, totalBytes: number) => {
    if (performance.now() - toldAt < PROGRESS_MS) return;
    toldAt = performance.now();
    emit(PROGRESS, { doneBytes, totalBytes } satisfies BackupProgress);
  };
  return {
    handle(method) {
      if (method === 'newest') return newest(options);
      if (method === 'make') return makeBackup({ ...options, onProgress, signal: stopping.signal });
      if (method === 'stop') return stopping.abort();
      throw new Error(`backups have no method ${method}`);
    },
  };
};

/** One that somebody else has put there, or that lies in the future, must not keep others from being made. */
export async function newest({ to, signingKeys }: Pick<ThreadOptions, 'to' | 'signingKeys'>): Promise<number | null> {
  const target = await BackupTarget.open(to, signingKeys);
  try {
    for await (const backup of target.newestFirst())
      if (backup !== null && target.isSigned(backup) === true && startOf(backup.id) <= Date.now())
        return startOf(backup.id);
    return null;
  } finally {
    await target.close();
  }
}
