import { readFileSync } from 'node:fs';
import type { JsonObject } from '#domain/json.js';
import { STREAM_CATEGORIES, type StreamCategory } from '#domain/streams.js';

/** The fields of one type and version of an event. `npm run docs:events` writes them to event-types.json. */
export interface EventTypeEntry {
  /** `training-attempt-lost.v2` */
  readonly type: string;
  /** The part before the first `-` of the streams that hold it. */
  readonly category: StreamCategory;
  readonly description: string | null;
  /** The type that readers get instead; null for the newest version. */
  readonly read_as: string | null;
  /** JSON Schema of the data, draft 7; null for an older version, of which the example shows the fields. */
  readonly schema: JsonObject | null;
  /** Data of one such event. */
  readonly example: JsonObject;
}

const ENTRIES = JSON.parse(
  readFileSync(new URL('./event-types.json', import.meta.url), 'utf8'),
) as readonly EventTypeEntry[];

/** Sorted by type. */
export const EVENT_TYPES = ENTRIES.map((entry) => {
  const { writers, retention } = STREAM_CATEGORIES[entry.category];
  return { ...entry, writers, kept: retention === 'kept' };
});
