import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { backUp, BackupRefusedError, type BackupSources } from '#backup/back-up.js';
import { NoRoomError } from '#backup/copied-database.js';
import { keepKeys, restoreKeys } from '#backup/kept-keys.js';
import { BackupDamagedError, isBackupId, type Backup, type ObjectsMode, type Part } from '#backup/manifest.js';
import { prune } from '#backup/prune.js';
import { restore, RestoreRefusedError } from '#backup/restore.js';
import { BackupTarget } from '#backup/target.js';
import { verifyBackup } from '#backup/verify-backup.js';
import type { Json } from '#domain/json.js';
import type { EventLogLocation } from '#ports/event-store/open.js';
import { lockFolder, LogNotFoundError } from '#ports/event-store/sqlite/index.js';
import type { KeyStoreLocation } from '#ports/key-store/open.js';
import { openObjectStore, type ObjectStoreAddress } from '#ports/object-store/open.js';
import { ObjectStoreUnavailableError } from '#ports/object-store/port.js';
import type { ReadStoreLocation } from '#ports/read-store/open.js';
import { OperationError, type OperationProgress } from './operation.js';

/** Where the stores of a system are. */
export interface BackedUpSystem {
  readonly eventStore: EventLogLocation;
  readonly coordination: ReadStoreLocation;
  readonly contentKeys: KeyStoreLocation;
  readonly objectStore: ObjectStoreAddress;
}

export interface BackupRequest {
  readonly system: BackedUpSystem;
  readonly to: ObjectStoreAddress;
  readonly objects: ObjectsMode;
  /** Where one copy of the keys of contents is kept; null: they are not copied. */
  readonly keysTo: ObjectStoreAddress | null;
  /** Days after which older backups are removed; null: none is. */
  readonly keepDays: number | null;
  readonly signal: AbortSignal;
}

/**
 * Backs up a system, running or not. Yields progress, and last `{id, logPosition, files, bytes, newBytes, gone, keysCopiedAt, removed,
 * chunksRemoved}`.
 * @throws OperationError
 */
export async function* backUpSystem(request: BackupRequest): AsyncGenerator<Json> {
  const { system, to, objects, keysTo, keepDays, signal } = request;
  const from = sourcesOf(system);
  const keys = keysTo && keysFolderOf(system);
  const made = yield* progressing((onProgress) => backUp({ from, to, objects, onProgress, signal }));
  const copied = keysTo && (await explained(() => keepKeys(keys!, { to: keysTo, logId: made.log.id })));
  const pruned = keepDays === null ? null : await withTarget(to, (target) => explained(() => prune(target, keepDays)));
  yield {
    ...summaryOf(made),
    keysCopiedAt: copied && copied.copiedAt,
    removed: pruned ? [...pruned.removed] : [],
    chunksRemoved: pruned ? pruned.chunks : 0,
  };
}

/** Yields a frame for each backup of a target, oldest first, and says which are not whole. */
export async function* listBackups(to: ObjectStoreAddress): AsyncGenerator<Json> {
  const target = await BackupTarget.open(to);
  try {
    const { whole, unfinished } = await explained(() => target.held());
    for (const id of [...whole, ...unfinished].toSorted())
      yield unfinished.includes(id)
        ? { id, state: 'unfinished' }
        : { ...summaryOf(await explained(() => target.backup(id))), state: 'whole' };
  } finally {
    await target.close();
  }
}

/** Reads a backup, by default the newest. Yields progress, problems as `{problem}`, and last `{verified, problems, ...}`. */
export async function* verifyBackupAt(to: ObjectStoreAddress, id: string | null): AsyncGenerator<Json> {
  const target = await BackupTarget.open(to);
  try {
    const backup = await explained(() => chosen(target, id));
    const problems: string[] = [];
    const onProblem = (problem: string) => void problems.push(problem);
    yield* progressing((onProgress) => verifyBackup({ target, backup, onProblem, onProgress }));
    for (const problem of problems) yield { problem };
    yield { verified: problems.length === 0, problems: problems.length, ...summaryOf(backup) };
  } finally {
    await target.close();
  }
}

export interface RestoreRequest {
  readonly system: BackedUpSystem;
  /** Locked meanwhile, so that no system starts on it. */
  readonly dataDir: string;
  readonly from: ObjectStoreAddress;
  /** null: the newest. */
  readonly id: string | null;
  readonly parts: readonly Part[];
  /** Where the copy of the keys is; null: it is not restored. */
  readonly keysFrom: ObjectStoreAddress | null;
  readonly signal: AbortSignal;
}

/**
 * Restores parts of a backup. Yields progress, and last `{id, logPosition, written, bytes, kept, others, missing, hasKeys}`.
 * @throws OperationError
 */
export async function* restoreSystem(request: RestoreRequest): AsyncGenerator<Json> {
  const { system, dataDir, from, id, parts, keysFrom, signal } = request;
  const { log, coordination } = sourcesOf(system);
  const keys = keysFrom && keysFolderOf(system);
  const lock = lockFolder(dataDir);
  const target = await BackupTarget.open(from);
  const objects = await openObjectStore(system.objectStore);
  try {
    const backup = await explained(() => chosen(target, id));
    const restoredKeys =
      keysFrom && (await explained(() => restoreKeys(keys!, { from: keysFrom, logId: backup.log.id })));
    const to = { log, coordination, objects };
    const { written, bytes, kept, others, missing } = yield* progressing((onProgress) =>
      restore({ target, backup, parts, to, onProgress, signal }),
    );
    yield {
      ...{ id: backup.id, logPosition: backup.log.position, checkpoint: backup.checkpoint, written, bytes, kept },
      ...{ others: [...others], missing: [...missing], keysCopiedAt: restoredKeys && restoredKeys.copiedAt },
    };
  } finally {
    await Promise.all([target.close(), objects.close()]);
    lock.release();
  }
}

const summaryOf = ({ id, createdAt, completedAt, log, objects, files, bytes, newBytes, gone }: Backup) => ({
  ...{ id, createdAt, completedAt, logPosition: log.position, objects, files, bytes, newBytes, gone },
});

async function withTarget<T>(to: ObjectStoreAddress, use: (target: BackupTarget) => Promise<T>): Promise<T> {
  const target = await BackupTarget.open(to);
  return use(target).finally(() => target.close());
}

/** @throws OperationError, BackupDamagedError */
async function chosen(target: BackupTarget, id: string | null): Promise<Backup> {
  const { whole } = await target.held();
  if (id !== null && !(isBackupId(id) && whole.includes(id)))
    throw new OperationError(`there is no whole backup ${JSON.stringify(id)} there: anneal backup list names all`);
  const last = id ?? whole.at(-1);
  if (last === undefined) throw new OperationError('there is no whole backup there');
  return target.backup(last);
}

/** @throws OperationError naming the store that a backup cannot have */
export function sourcesOf({ eventStore, coordination, objectStore }: BackedUpSystem): BackupSources {
  if (eventStore.adapter !== 'sqlite')
    throw new OperationError(
      'ANNEAL_EVENT_STORE names a server: back up and restore its log by EventStoreDB itself; a backup here needs a log in a folder',
    );
  if (coordination.adapter !== 'sqlite')
    throw new OperationError(
      'ANNEAL_COORDINATION (or ANNEAL_READ_STORE) names a server: back up and restore it by mongodump; a backup here needs it in a folder',
    );
  return { log: eventStore.directory, coordination: coordination.directory, objects: objectStore };
}

/** @throws OperationError */
function keysFolderOf({ contentKeys }: BackedUpSystem): string {
  if (contentKeys.adapter !== 'sqlite')
    throw new OperationError(
      'the keys of contents are in MongoDB, whose replica set keeps its copies: leave --keys out',
    );
  return contentKeys.directory;
}

/** Whether the keys of contents are there. */
export const hasKeys = ({ contentKeys }: BackedUpSystem): boolean =>
  contentKeys.adapter !== 'sqlite' || existsSync(join(contentKeys.directory, 'content-keys.db'));

const PROGRESS_MS = 250;

/** Runs work, and yields its progress in bytes. @throws OperationError in place of what an operator can mend */
async function* progressing<T>(
  run: (onProgress: (done: number, total: number) => void) => Promise<T>,
): AsyncGenerator<OperationProgress, T> {
  let latest: OperationProgress['progress'] | null = null;
  const running = explained(() => run((done, total) => (latest = { done, total, unit: 'bytes' })));
  const ended = running.then(
    () => true,
    () => true,
  );
  for (let isEnded = false; !isEnded;) {
    isEnded = await Promise.race([ended, sleep(PROGRESS_MS, false)]);
    if (latest) yield { progress: latest };
  }
  return running;
}

const MENDABLE = [BackupDamagedError, BackupRefusedError, RestoreRefusedError, NoRoomError, LogNotFoundError];

/** @throws OperationError with the message of an error that an operator can mend */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (MENDABLE.some((known) => error instanceof known)) throw new OperationError((error as Error).message);
    if (error instanceof ObjectStoreUnavailableError)
      throw new OperationError(`a store cannot be reached now, and the same command continues later: ${error.message}`);
    throw error;
  }
}
