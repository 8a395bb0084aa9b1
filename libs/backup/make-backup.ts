import type { ObjectStoreAddress } from '#ports/object-store/open.js';
import { backUp, type BackupOptions } from './back-up.js';
import { keepKeys, type KeptKeys } from './kept-keys.js';
import type { Backup } from './manifest.js';
import { prune, type Pruned } from './prune.js';
import { BackupTarget } from './target.js';

export interface MakeBackupOptions extends BackupOptions {
  /** Folder of the keys of contents, and where one copy of them is kept; null: they are not copied. */
  readonly keys: { readonly directory: string; readonly to: ObjectStoreAddress } | null;
  /** Days after which older backups are removed; null: none is. */
  readonly keepDays: number | null;
}

export interface MadeBackup {
  readonly backup: Backup;
  readonly keys: KeptKeys | null;
  readonly pruned: Pruned | null;
}

/** Backs up a system, then copies the keys of contents, then removes old backups. @throws as these do */
export async function makeBackup({ keys: copied, keepDays, ...options }: MakeBackupOptions): Promise<MadeBackup> {
  const backup = await backUp(options);
  const keys = copied && (await keepKeys(copied.directory, { to: copied.to, logId: backup.log.id }));
  if (keepDays === null) return { backup, keys, pruned: null };
  const target = await BackupTarget.open(options.to, options.signingKeys);
  const pruned = await prune(target, keepDays).finally(() => target.close());
  return { backup, keys, pruned };
}
