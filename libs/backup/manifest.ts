import { createHmac, timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '#domain/json.js';
import { isObjectKey } from '#ports/object-store/keys.js';

/** Bytes of each piece of a file but the last: what did not change from one backup to the next is stored once. */
export const CHUNK_BYTES = 1024 * 1024;
export const FORMAT = 1;

export type Part = 'coordination' | 'log' | 'objects';

/** A file of a backup: a line of its manifest. */
export interface BackedUpFile {
  readonly part: Part;
  /** The key of an object; `log.db`; `coordination.db`. */
  readonly name: string;
  readonly size: number;
  /** Of what is stored, lower-case hex; null: named only, and left to the object store. */
  readonly sha256: string | null;
  /** SHA-256 of its chunks, in order. */
  readonly chunks: readonly string[];
  /** The version that the object store listed; null for other files. */
  readonly version: string | null;
}

/** A whole backup, as `backup.json` says. Contains no secret. */
export interface Backup {
  readonly format: typeof FORMAT;
  /** The time of its beginning, as part of keys: sorts by time. */
  readonly id: string;
  readonly createdAt: string;
  readonly completedAt: string;
  readonly log: { readonly id: string; readonly position: string };
  /** The signed note of the audit tree; null if nothing was signed. */
  readonly checkpoint: string | null;
  /** `copy`: with the objects. `reference`: the object store keeps them, and the manifest names them. */
  readonly objects: ObjectsMode;
  readonly files: number;
  readonly bytes: number;
  /** Bytes that the target did not have yet. */
  readonly newBytes: number;
  /** Objects that were deleted while they were copied. */
  readonly gone: number;
  readonly manifest: { readonly size: number; readonly sha256: string };
  /** HMAC-SHA256 of all this under the installation's secret, lower-case hex; none: of an earlier release, or removed. */
  readonly mac?: string;
}

export const OBJECTS_MODES = ['copy', 'reference'] as const;
export type ObjectsMode = (typeof OBJECTS_MODES)[number];

/** A backup is not what was written, or incomplete. */
export class BackupDamagedError extends Error {
  override readonly name = 'BackupDamagedError';
}

/** @param key of the purpose `backups` */
export function macOf(backup: Backup, key: Uint8Array): string {
  const { format, id, createdAt, completedAt, log, checkpoint, objects, files, bytes, newBytes, gone, manifest } =
    backup;
  const facts = [createdAt, completedAt, log.id, log.position, checkpoint, objects, files, bytes, newBytes, gone];
  const text = JSON.stringify([format, id, ...facts, manifest.size, manifest.sha256]);
  return createHmac('sha256', key).update(text).digest('hex');
}

/** Whether one of these keys signed the backup, and nobody has changed it since. */
export const isSigned = (backup: Backup, keys: readonly Uint8Array[]): boolean =>
  keys.some((key) => timingSafeEqual(Buffer.from(macOf(backup, key)), Buffer.from(backup.mac ?? '-'.repeat(64))));

export const backupId = (time: Date): string => time.toISOString().replaceAll(/[-:.]/g, '');

const ID = /^\d{8}T\d{9}Z$/;
export const isBackupId = (id: string): boolean => ID.test(id);

/** When a backup began, in milliseconds since 1970. @param id valid */
export const startOf = (id: string): number =>
  Date.parse(id.replace(/^(....)(..)(..)T(..)(..)(..)(...)Z$/, '$1-$2-$3T$4:$5:$6.$7Z'));

const SHA256 = /^[0-9a-f]{64}$/;
export const isSha256 = (value: unknown): value is string => typeof value === 'string' && SHA256.test(value);

/** Printed as it is. */
const isWord = (value: unknown): value is string => typeof value === 'string' && /^[\w.:-]{1,100}$/.test(value);

const isTime = (value: unknown): boolean => isWord(value) && !Number.isNaN(Date.parse(value));

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * Reads `backup.json`, which anybody who writes to the target may have changed.
 * @throws BackupDamagedError
 */
export function parseBackup(text: string, id: string): Backup {
  const found = parsed(text, `backup ${id}`) as unknown as Backup;
  const { format, log, manifest, checkpoint, objects } = found;
  if (isCount(format) && format > FORMAT)
    throw new BackupDamagedError(`backup ${id} has format ${format}: use a newer release of Anneal`);
  const isWhole =
    format === FORMAT &&
    found.id === id &&
    [found.createdAt, found.completedAt].every(isTime) &&
    isWord(log?.id) &&
    isWord(log.position) &&
    (checkpoint === null || typeof checkpoint === 'string') &&
    OBJECTS_MODES.includes(objects) &&
    [found.files, found.bytes, found.newBytes, found.gone, manifest?.size].every(isCount) &&
    isSha256(manifest.sha256) &&
    (found.mac === undefined || isSha256(found.mac));
  if (!isWhole) throw new BackupDamagedError(`backup ${id} is damaged: its backup.json is not one`);
  return found;
}

const NAMES: Readonly<Record<Part, (name: string) => boolean>> = {
  coordination: (name) => name === 'coordination.db',
  log: (name) => name === 'log.db',
  objects: isObjectKey,
};

/** Reads a line of a manifest. No name leads out of its folder. @throws BackupDamagedError */
export function parseFile(line: string, id: string): BackedUpFile {
  const found = parsed(line, `the manifest of backup ${id}`) as unknown as BackedUpFile;
  const { part, name, size, sha256, chunks, version } = found;
  const isWhole =
    Object.hasOwn(NAMES, part) &&
    typeof name === 'string' &&
    NAMES[part](name) &&
    isCount(size) &&
    (version === null || typeof version === 'string') &&
    Array.isArray(chunks) &&
    chunks.every(isSha256) &&
    (sha256 === null ? part === 'objects' : isSha256(sha256) && chunks.length === Math.ceil(size / CHUNK_BYTES));
  if (!isWhole) throw new BackupDamagedError(`the manifest of backup ${id} is damaged: a line names no file`);
  return found;
}

function parsed(text: string, what: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Answered below.
  }
  throw new BackupDamagedError(`${what} is damaged: it is not JSON`);
}
