import { setTimeout as sleep } from 'node:timers/promises';
import { BackupRefusedError, type BackupSources } from '#backup/back-up.js';
import { NoRoomError } from '#backup/copied-database.js';
import { restoreKeys } from '#backup/kept-keys.js';
import { makeBackup, type MakeBackupOptions } from '#backup/make-backup.js';
import { BackupDamagedError, isBackupId, type Backup, type Part } from '#backup/manifest.js';
import { restore, RestoreRefusedError } from '#backup/restore.js';
import { BackupTarget } from '#backup/target.js';
import { notSigned, verifyBackup } from '#backup/verify-backup.js';
import type { Json } from '#domain/json.js';
import { LogDamagedError } from '#ports/event-store/port.js';
import {
  holdsLogFile,
  lockFolder,
  LogNotFoundError,
  LogUnusableError,
  openSqliteEventReader,
} from '#ports/event-store/sqlite/index.js';
import { LinkInStoreError } from '#ports/object-store/folder/files.js';
import { openObjectStore, type ObjectStoreAddress } from '#ports/object-store/open.js';
import { ObjectStoreUnavailableError } from '#ports/object-store/port.js';
import { ObjectsOfLog } from './objects-of-log.js';
import { OperationError, type OperationProgress } from './operation.js';

/**
 * Backs up a system, running or not. Yields progress, and last `{id, logPosition, files, bytes, newBytes, gone, keysCopiedAt, removed,
 * chunksRemoved}`.
 * @throws OperationError
 */
export async function* backUpSystem(options: Omit<MakeBackupOptions, 'onProgress'>): AsyncGenerator<Json> {
  const made = yield* progressing((onProgress) => makeBackup({ ...options, onProgress }));
  const { backup, keys, pruned } = made;
  yield {
    ...summaryOf(backup),
    keysCopiedAt: keys && keys.copiedAt,
    removed: pruned ? [...pruned.removed] : [],
    chunksRemoved: pruned ? pruned.chunks : 0,
  };
}

/** Of the purpose `backups`; null: the secret is not at hand. */
export type SigningKeys = readonly Uint8Array[] | null;

/** Yields a frame for each backup of a target, oldest first, and says which are not whole, or not of this installation. */
export async function* listBackups(to: ObjectStoreAddress, keys: SigningKeys): AsyncGenerator<Json> {
  const target = await explained(() => BackupTarget.open(to, keys));
  try {
    const { whole, unfinished } = await explained(() => target.held());
    for (const id of [...whole, ...unfinished].toSorted())
      yield unfinished.includes(id) ? { id, state: 'unfinished' } : await listed(target, id);
  } finally {
    await target.close();
  }
}

async function listed(target: BackupTarget, id: string): Promise<Json> {
  try {
    const backup = await target.backup(id);
    return { ...summaryOf(backup), state: target.isSigned(backup) === false ? 'not signed' : 'whole' };
  } catch (error) {
    if (error instanceof BackupDamagedError) return { id, state: 'damaged' };
    throw error;
  }
}

/** Reads a backup, by default the newest. Yields progress, problems as `{problem}`, and last `{verified, problems, ...}`. */
export async function* verifyBackupAt(
  to: ObjectStoreAddress,
  id: string | null,
  signingKeys: SigningKeys,
): AsyncGenerator<Json> {
  const target = await explained(() => BackupTarget.open(to, signingKeys));
  try {
    const backup = await explained(() => chosen(target, id));
    const problems: string[] = [];
    const onProblem = (problem: string) => void problems.push(problem);
    yield* progressing((onProgress) => verifyBackup({ target, backup, onProblem, onProgress }));
    for (const problem of problems) yield { problem };
    const signed = target.isSigned(backup);
    yield { verified: problems.length === 0, signed, problems: problems.length, ...summaryOf(backup) };
  } finally {
    await target.close();
  }
}

export interface RestoreRequest {
  readonly to: BackupSources;
  /** Locked meanwhile, so that no system starts on it. */
  readonly dataDir: string;
  readonly from: ObjectStoreAddress;
  /** A backup that none of them signed is refused. */
  readonly signingKeys: SigningKeys;
  /** null: the newest. */
  readonly id: string | null;
  readonly parts: readonly Part[];
  /** Folder of the keys of contents, and where their copy is; null: it is not restored. */
  readonly keys: { readonly directory: string; readonly from: ObjectStoreAddress } | null;
  readonly signal: AbortSignal;
}

/**
 * Restores parts of a backup. Yields progress, and last `{id, logPosition, signed, written, bytes, kept, others, missing, deleted, logWentOn, keysCopiedAt}`:
 * `logWentOn` says that objects alone were restored, beside a log with events after the backup, which has signed a larger audit tree.
 * @throws OperationError
 */
export async function* restoreSystem(request: RestoreRequest): AsyncGenerator<Json> {
  const { to: places, dataDir, from, id, signingKeys, parts, keys, signal } = request;
  const lock = lockFolder(dataDir);
  const target = await explained(() => BackupTarget.open(from, signingKeys));
  const objects = await explained(() => openObjectStore(places.objects));
  try {
    const backup = await explained(() => chosen(target, id));
    const signed = target.isSigned(backup);
    if (signed === false)
      throw new OperationError(
        `${notSigned(backup)}. Name another with --backup, or set ANNEAL_SECRET_KEY to the secret of then`,
      );
    const logId = backup.log.id;
    const restoredKeys = keys && (await explained(() => restoreKeys(keys.directory, { from: keys.from, logId })));
    const to = { ...places, objects };
    const isAlone = parts.includes('objects') && !parts.includes('log');
    const now = isAlone ? await explained(() => logThere(places.log, backup)) : null;
    const isKept = now ? now.objects.has : () => true;
    const { written, bytes, kept, others, missing, deleted } = yield* progressing((onProgress) =>
      restore({ target, backup, parts, isKept, to, onProgress, signal }),
    );
    yield {
      ...{
        id: backup.id,
        logPosition: backup.log.position,
        checkpoint: backup.checkpoint,
        signed,
        written,
        bytes,
        kept,
        deleted,
        logWentOn: now !== null && now.wentOn,
      },
      ...{ others: [...others], missing: [...missing], keysCopiedAt: restoredKeys && restoredKeys.copiedAt },
    };
  } finally {
    await Promise.all([target.close(), objects.close()]);
    lock.release();
  }
}

/** What the log that stays refers to. @throws OperationError when there is none, or the backup is not of it, or of a later state */
async function logThere(directory: string, { log }: Backup): Promise<{ objects: ObjectsOfLog; wentOn: boolean }> {
  if (!holdsLogFile(directory))
    throw new OperationError(
      `no log is in ${directory} to say which objects were deleted since: restore log, coordination and objects together`,
    );
  const reader = openSqliteEventReader({ directory });
  const { logId, position } = await reader.head().finally(() => reader.close());
  if (logId !== log.id)
    throw new OperationError(
      `the log there is another one (${logId}) than that of the backup (${log.id}): restore log, coordination and objects together`,
    );
  const end = position ?? '';
  if (end < log.position)
    throw new OperationError(
      'the log there ends before the backup, and may lack what its objects belong to: name an earlier backup with --backup, or restore log, coordination and objects together',
    );
  return { objects: ObjectsOfLog.read(directory), wentOn: end > log.position };
}

const summaryOf = ({ id, createdAt, completedAt, log, objects, files, bytes, newBytes, gone }: Backup) => ({
  ...{ id, createdAt, completedAt, logPosition: log.position, objects, files, bytes, newBytes, gone },
});

/** @throws OperationError, BackupDamagedError */
async function chosen(target: BackupTarget, id: string | null): Promise<Backup> {
  const { whole } = await target.held();
  if (id !== null && !(isBackupId(id) && whole.includes(id)))
    throw new OperationError(`there is no whole backup ${JSON.stringify(id)} there: anneal backup list names all`);
  const last = id ?? whole.at(-1);
  if (last === undefined) throw new OperationError('there is no whole backup there');
  return target.backup(last);
}

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

const MENDABLE = [
  BackupDamagedError,
  BackupRefusedError,
  RestoreRefusedError,
  NoRoomError,
  LogDamagedError,
  LogNotFoundError,
  LogUnusableError,
  LinkInStoreError,
];

/** @throws OperationError with the message of an error that an operator can mend */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { message, code, syscall } = error as NodeJS.ErrnoException;
    if (MENDABLE.some((known) => error instanceof known)) throw new OperationError(message);
    if (error instanceof ObjectStoreUnavailableError)
      throw new OperationError(`a store cannot be reached now, and the same command continues later: ${message}`);
    if (code !== undefined && syscall !== undefined)
      throw new OperationError(`a folder cannot be used, and the same command continues once it can: ${message}`);
    // A wrong address.
    if (error instanceof TypeError && /^the address of the object store/.test(message))
      throw new OperationError(message);
    throw error;
  }
}
