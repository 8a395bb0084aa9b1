import type { EventLogLocation } from '#ports/event-store/open.js';
import type { ObjectStoreAddress } from '#ports/object-store/open.js';
import type { ReadStoreLocation } from '#ports/read-store/open.js';
import { SettingsError, type Parse } from './values.js';

export type BusAddress = { readonly adapter: 'in-process' } | { readonly adapter: 'nats'; readonly address: string };

export const eventStoreAddress: Parse<EventLogLocation> = (name, value) => {
  const directory = folderOf('sqlite', value);
  if (directory !== null) return { adapter: 'sqlite', directory };
  if (/^(esdb|kurrentdb)(\+discover)?:\/\/./.test(value)) return { adapter: 'eventstoredb', address: value };
  throw unknown(name, 'esdb://HOST:2113 or sqlite:FOLDER');
};

export const documentAddress: Parse<ReadStoreLocation> = (name, value) => {
  const directory = folderOf('sqlite', value);
  if (directory !== null) return { adapter: 'sqlite', directory };
  if (/^mongodb(\+srv)?:\/\/./.test(value)) return { adapter: 'mongodb', address: value };
  throw unknown(name, 'mongodb://HOST:27017/DATABASE or sqlite:FOLDER');
};

export const busAddress: Parse<BusAddress> = (name, value) => {
  if (value === 'in-process') return { adapter: 'in-process' };
  if (/^(nats|tls):\/\/./.test(value)) return { adapter: 'nats', address: value };
  throw unknown(name, 'nats://HOST:4222 or in-process');
};

export const objectStoreAddress: Parse<ObjectStoreAddress> = (name, value) => {
  const directory = folderOf('file', value);
  if (directory !== null) return { kind: 'folder', directory };
  if (/^s3:\/\/./.test(value)) return { kind: 's3', address: value };
  throw unknown(name, 's3://BUCKET/PREFIX?region=... or file:FOLDER');
};

/** Where checkpoints are kept. */
export type CheckpointAddress = ObjectStoreAddress | { readonly kind: 'web'; readonly url: string };

export const checkpointAddress: Parse<CheckpointAddress> = (name, value) => {
  if (/^https?:/.test(value) && URL.canParse(value)) return { kind: 'web', url: value };
  if (/^(file|s3):/.test(value)) return objectStoreAddress(name, value);
  throw unknown(name, 'file:FOLDER, s3://BUCKET/PREFIX?region=... or https://...');
};

/** The folder in `sqlite:` or `file:`, with or without the two slashes of a URL; null for another scheme. */
function folderOf(scheme: string, value: string): string | null {
  const [, folder] = new RegExp(`^${scheme}:(?://)?(.+)$`).exec(value) ?? [];
  return folder ?? null;
}

/** The value is not shown: it may hold a password. */
const unknown = (name: string, forms: string): SettingsError =>
  new SettingsError(name, `is none of the addresses known here; give ${forms}`);
