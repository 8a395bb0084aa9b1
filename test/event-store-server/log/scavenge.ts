import { firstReadable, isMetadataStream, isSoftDeleted, originalStreamOf, TOMBSTONE } from './streams.js';
import type { Tables } from './tables.js';

/**
 * Removes the events that no read of their stream shows. As with the server, the last event of a stream always stays (it holds the
 * revision to go on from), even of a deleted stream; of a stream with a tombstone only that one stays.
 */
export function scavenge(tables: Tables): void {
  for (const stream of tables.streams()) {
    if (stream.id === null || stream.last < 0) continue;
    if (isMetadataStream(stream.name) && tables.stream(originalStreamOf(stream.name)).last === TOMBSTONE) {
      tables.scavenge(stream.id, TOMBSTONE);
    } else if (stream.last === TOMBSTONE || isSoftDeleted(stream)) {
      tables.scavenge(stream.id, stream.last);
    } else {
      const since = stream.maxAgeSeconds === null ? null : Date.now() - stream.maxAgeSeconds * 1_000;
      const young = since === null ? 0 : (tables.firstSince(stream.id, since) ?? stream.last);
      tables.scavenge(stream.id, Math.min(stream.last, Math.max(firstReadable(stream), young)));
    }
  }
}
