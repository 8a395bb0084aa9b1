import type { BackupSources } from '#backup/back-up.js';
import type { ObjectStoreAddress } from '#ports/object-store/open.js';
import { overlaps } from '#ports/object-store/overlaps.js';
import { parseS3Address } from '#ports/object-store/s3/address.js';
import { SettingsError, type Settings } from '#settings/index.js';
import { locationsOf, type Locations } from './locations.js';

/**
 * The stores that a backup copies.
 * @param name of what asks for it: a setting, or a command
 * @throws SettingsError naming the store that is on a server of its own
 */
export function backupSources(name: string, { eventStore, coordination, objectStore }: Locations): BackupSources {
  if (eventStore.adapter !== 'sqlite')
    throw new SettingsError(
      name,
      'needs the event log in a folder, and ANNEAL_EVENT_STORE names a server: use the backup of EventStoreDB',
    );
  if (coordination.adapter !== 'sqlite')
    throw new SettingsError(
      name,
      'needs coordination in a folder, and ANNEAL_COORDINATION or ANNEAL_READ_STORE names a server: use mongodump',
    );
  return { log: eventStore.directory, coordination: coordination.directory, objects: objectStore };
}

/**
 * The folder of the keys of contents.
 * @throws SettingsError
 */
export function keysFolder(name: string, { contentKeys }: Locations): string {
  if (contentKeys.adapter === 'sqlite') return contentKeys.directory;
  throw new SettingsError(
    name,
    'needs the keys of contents in a folder, and they are in MongoDB: its replica set has their copies',
  );
}

interface Place {
  readonly name: string;
  readonly place: ObjectStoreAddress;
}

/**
 * Checks that no copy would be lost with what it is a copy of, or would bring back what is erased.
 * @throws SettingsError
 */
export function requireApart(settings: Settings, target: Place, keys: Place | null): void {
  const own = [{ kind: 'folder', directory: settings.dataDir } as const, locationsOf(settings).objectStore];
  for (const each of [target, ...(keys ? [keys] : [])])
    if (own.some((place) => overlaps(each.place, place)))
      throw new SettingsError(
        each.name,
        'is in the data folder or the object store (or has them in it), and would be lost with them; give another place',
      );
  if (keys !== null && overlaps(keys.place, target.place))
    throw new SettingsError(
      keys.name,
      `is in ${target.name}, and keys beside a backup give back what was erased; give another place`,
    );
}

/** The scheduled backups of these settings; null: none. @throws SettingsError */
export function scheduledBackups(settings: Settings, locations: Locations) {
  const { backupTarget: to, backupKeys, backupKeepDays: keepDays } = settings;
  if (to === null) return null;
  const from = backupSources('ANNEAL_BACKUP_TARGET', locations);
  requireAddress('ANNEAL_BACKUP_TARGET', to);
  if (backupKeys) requireAddress('ANNEAL_BACKUP_KEYS', backupKeys);
  const target = { name: 'ANNEAL_BACKUP_TARGET', place: to };
  requireApart(settings, target, backupKeys && { name: 'ANNEAL_BACKUP_KEYS', place: backupKeys });
  const keys = backupKeys && { directory: keysFolder('ANNEAL_BACKUP_KEYS', locations), to: backupKeys };
  return { from, to, objects: 'copy', keys, keepDays } as const;
}

/** @throws SettingsError */
function requireAddress(name: string, place: ObjectStoreAddress): void {
  if (place.kind !== 's3') return;
  try {
    parseS3Address(place.address);
  } catch (error) {
    throw new SettingsError(name, `cannot be used: ${(error as Error).message}`, { cause: error });
  }
}
