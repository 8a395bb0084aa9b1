import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { ObjectStore } from '#ports/object-store/port.js';
import type { StoredEvent } from '../stored-event.js';

/** Maximum number of events in a segment: those of one bundle of the audit tree. */
const MAX_EVENTS = 256;
/** An event is 1 MiB at most. */
const MAX_BYTES = MAX_EVENTS * 2 * 1024 * 1024;
/** Folder of the archive in the object store. */
export const ARCHIVE_PREFIX = 'log-archive/';
const SEGMENT = /^log-archive\/\d+\.jsonl\.gz$/;

/** Marks an archived event in the log's file, in place of its data. No event has empty data of its own. */
export const ARCHIVED = '';

/** Where a segment of the archive is in the object store, by the position of its first event. */
export const segmentKey = (first: string): string => `${ARCHIVE_PREFIX}${first}.jsonl.gz`;

/** Whether a text is the key of a segment. The log's file has such a key in place of an archived event's texts. */
export const isSegmentKey = (text: string): boolean => SEGMENT.test(text);

/** A segment: gzip over a line of JSON for each event, with the texts as they were stored. */
export const packSegment = (events: readonly StoredEvent[]): Promise<Buffer> =>
  promisify(gzip)(events.map((event) => `${JSON.stringify(event)}\n`).join(''));

/** @throws ObjectNotFoundError, ObjectStoreUnavailableError; SegmentDamagedError for an object that is no segment */
export async function readSegment(objects: Pick<ObjectStore, 'get'>, key: string): Promise<readonly StoredEvent[]> {
  const bytes = Buffer.concat(await Array.fromAsync(await objects.get(key)));
  try {
    const text = (await promisify(gunzip)(bytes, { maxOutputLength: MAX_BYTES })).toString('utf8');
    const lines = text.split('\n').filter((line) => line !== '');
    const events = lines.map((line) => JSON.parse(line) as StoredEvent);
    if (!events.every(isStoredEvent)) throw new Error('a line of it is no event');
    return events;
  } catch (error) {
    throw new SegmentDamagedError((error as Error).message, { cause: error });
  }
}

/** The bytes of a segment are not those of one. */
export class SegmentDamagedError extends Error {
  override readonly name = 'SegmentDamagedError';
}

const isStoredEvent = (value: unknown): boolean => {
  const { position, data, metadata } = (value ?? {}) as Partial<StoredEvent>;
  return [position, data, metadata].every((text) => typeof text === 'string');
};
