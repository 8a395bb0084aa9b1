import type { System } from '#apps/composition/compose.js';
import { scheduledBackups } from '#apps/composition/backup-places.js';
import type { MadeBackup } from '#backup/make-backup.js';
import { startOf } from '#backup/manifest.js';
import { PROGRESS, type BackupProgress, type ThreadOptions } from '#backup/thread/service.js';
import type { HealthReport, HealthSource } from '#primitives/health/health.js';
import { startThread, type Thread } from '#primitives/thread/thread.js';

const HOUR_MS = 60 * 60_000;
/** Whether a backup is due is looked at so often. */
const LOOK_MS = 60_000;
const RETRY_MS = 5 * 60_000;
/** A backup that is older than this many intervals counts as missed. */
const LATE_INTERVALS = 2;

export interface ScheduledBackups {
  readonly healthSources: readonly HealthSource[];
  close(): Promise<void>;
}

/** Backs the system up every `ANNEAL_BACKUP_EVERY_HOURS`, also counting what `npx anneal backup` made. Without a target, nothing. */
export function startScheduledBackups({ settings, locations, secret, background, metrics }: System): ScheduledBackups {
  const options = scheduledBackups(settings, locations);
  if (options === null) return { healthSources: [], close: async () => undefined };
  const schedule = new Schedule(
    { ...options, signingKeys: secret.keys('backups') },
    settings.backupEveryHours * HOUR_MS,
  );
  metrics?.watchBackups(() => ({ lastAt: schedule.lastAt, everyMs: schedule.everyMs }));
  const repetition = { everyMs: LOOK_MS, retryMs: RETRY_MS, maxRetryMs: HOUR_MS };
  const repeated = background.repeat('back-up', (signal) => schedule.look(signal), repetition);
  return {
    healthSources: [{ name: 'backup', check: async () => schedule.health() }],
    close: () => repeated.close(),
  };
}

/** Exported for its spec. */
export class Schedule {
  /** When the newest whole backup began, in milliseconds since 1970; null: there is none; undefined: not known yet. */
  lastAt: number | null | undefined;
  private running: { progress: BackupProgress | null } | null = null;
  private newBytes: number | null = null;
  private failure: string | null = null;
  /** When the newest backup began that was whole, and that somebody has removed since; null: none that this process knows of. */
  private removedAt: number | null = null;

  constructor(
    private readonly options: ThreadOptions,
    readonly everyMs: number,
  ) {}

  private get nextAt(): number {
    return typeof this.lastAt === 'number' ? this.lastAt + this.everyMs : 0;
  }

  /** Makes a backup if one is due. @throws what prevents it */
  async look(signal: AbortSignal): Promise<void> {
    if (Date.now() < this.nextAt) return;
    try {
      await this.inThread(signal, async (thread) => {
        // Another one may have been made by hand.
        const known = this.lastAt ?? null;
        this.lastAt = await thread.call<number | null>('backup', 'newest', []);
        if (known !== null && (this.lastAt ?? 0) < known) this.removedAt = known;
        if (Date.now() < this.nextAt) return;
        this.running = { progress: null };
        thread.listen<BackupProgress>('backup', PROGRESS, (progress) => (this.running = { progress }));
        const { backup } = await thread.call<MadeBackup>('backup', 'make', []);
        this.lastAt = startOf(backup.id);
        this.newBytes = backup.newBytes;
      });
      this.failure = null;
    } catch (error) {
      this.failure = nameOf(error);
      throw error;
    } finally {
      this.running = null;
    }
  }

  health(): HealthReport {
    const { lastAt, nextAt, running, newBytes, failure, removedAt } = this;
    const isLate = typeof lastAt === 'number' && Date.now() > lastAt + LATE_INTERVALS * this.everyMs;
    const details = {
      state: running ? 'running' : 'waiting',
      withKeys: this.options.keys !== null,
      lastAt: typeof lastAt === 'number' ? new Date(lastAt).toISOString() : null,
      ...(nextAt > 0 && { nextAt: new Date(nextAt).toISOString() }),
      ...(newBytes !== null && { newBytes }),
      ...running?.progress,
      ...(removedAt !== null && { missing: new Date(removedAt).toISOString() }),
      ...(failure !== null && { reason: failure }),
    };
    return { status: failure !== null || removedAt !== null || isLate ? 'degraded' : 'up', details };
  }

  private async inThread(signal: AbortSignal, use: (thread: Thread) => Promise<void>): Promise<void> {
    const module = import.meta.resolve('#backup/thread/service.js');
    const thread = await startThread([{ name: 'backup', module, options: this.options }], { name: 'backup' });
    const stop = () => void thread.call('backup', 'stop', []).catch(() => undefined);
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (!signal.aborted) await use(thread);
    } finally {
      signal.removeEventListener('abort', stop);
      await thread.close();
    }
  }
}

/** Anybody may read `/health`: the log has the message. */
const nameOf = (error: unknown): string =>
  error instanceof Error ? ((error as { errorName?: string }).errorName ?? error.name) : 'unknown';
