import { startOf } from './manifest.js';
import type { BackupTarget } from './target.js';

const DAY_MS = 24 * 60 * 60_000;
/** A backup that has not ended after this was killed. */
const UNFINISHED_MS = 7 * DAY_MS;

export interface Pruned {
  /** Ids of backups that were removed. */
  readonly removed: readonly string[];
  /** Chunks that no backup needs any more; null: none was removed, since another backup runs or was killed less than a week ago. */
  readonly chunks: number | null;
}

/**
 * Removes backups that are older than `keepDays`, but never the newest whole one, and the chunks that no other backup names.
 * @throws BackupDamagedError when the manifest of a backup that stays cannot be read: nothing that it may name is removed
 */
export async function prune(target: BackupTarget, keepDays: number, now: number = Date.now()): Promise<Pruned> {
  const { whole, unfinished } = await target.held();
  const isOld = (id: string) => startOf(id) < now - keepDays * DAY_MS;
  const killed = unfinished.filter((id) => startOf(id) < now - UNFINISHED_MS);
  const removed = [...whole.slice(0, -1).filter(isOld), ...killed];
  if (removed.length === 0) return { removed, chunks: 0 };
  for (const id of removed) await target.remove(id);
  const left = await target.held();
  if (left.unfinished.length > 0) return { removed, chunks: null };
  const named = new Set<string>();
  for (const id of left.whole)
    for (const { chunks } of await target.files(await target.backup(id))) for (const chunk of chunks) named.add(chunk);
  const unnamed = (await target.chunks()).difference(named);
  for (const chunk of unnamed) await target.removeChunk(chunk);
  return { removed, chunks: unnamed.size };
}
