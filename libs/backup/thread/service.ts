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
 * Backups in a thread of their own. Methods: `newest()` returns when the newest whole backup of the target began, in milliseconds since
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
      if (method === 'newest') return newest(options.to);
      if (method === 'make') return makeBackup({ ...options, onProgress, signal: stopping.signal });
      if (method === 'stop') return stopping.abort();
      throw new Error(`backups have no method ${method}`);
    },
  };
};

async function newest(to: ThreadOptions['to']): Promise<number | null> {
  const target = await BackupTarget.open(to);
  const { whole } = await target.held().finally(() => target.close());
  const last = whole.at(-1);
  return last === undefined ? null : startOf(last);
}
