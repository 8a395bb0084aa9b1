/** What the log knows of one stream without reading its events. */
export interface StreamState {
  /** Its row, null while nothing was ever written to it. */
  id: number | null;
  readonly name: string;
  /** Revision of the last event; -1 without one, `TOMBSTONE` for ever after a tombstone. */
  last: number;
  /** From the stream's metadata; `SOFT_DELETED` after a deletion. */
  truncateBefore: number;
  maxCount: number | null;
  maxAgeSeconds: number | null;
}

/**
 * Stands in the tables for the revision 2^63 - 1: that of a tombstone, and of the `$tb` that a deletion leaves. JavaScript
 * has no such integer.
 */
export const TOMBSTONE = Number.MAX_SAFE_INTEGER;
export const SOFT_DELETED = Number.MAX_SAFE_INTEGER;
export const HIGHEST_REVISION = '9223372036854775807';

export const newStream = (name: string): StreamState => ({
  id: null,
  name,
  last: -1,
  truncateBefore: 0,
  // A metadata stream shows its last event only.
  maxCount: isMetadataStream(name) ? 1 : null,
  maxAgeSeconds: null,
});

export const isSoftDeleted = (stream: StreamState): boolean => stream.truncateBefore >= SOFT_DELETED;
export const isMetadataStream = (name: string): boolean => name.startsWith('$$');
export const metadataStreamOf = (name: string): string => `$$${name}`;
export const originalStreamOf = (metadataStream: string): string => metadataStream.slice(2);

/** The first revision that reads of the stream show. Age is another matter: it goes by the events' own time. */
export const firstReadable = (stream: StreamState): number =>
  Math.max(stream.truncateBefore, stream.maxCount === null ? 0 : stream.last - stream.maxCount + 1);

/** Takes `$tb`, `$maxCount` and `$maxAge` over from the content of a `$metadata` event; what is missing is unset. */
export function applyMetadata(stream: StreamState, content: Uint8Array): void {
  const { $tb, $maxCount, $maxAge } = parsed(content);
  stream.truncateBefore = Math.min($tb ?? 0, SOFT_DELETED);
  stream.maxCount = isMetadataStream(stream.name) ? 1 : ($maxCount ?? null);
  stream.maxAgeSeconds = $maxAge ?? null;
}

/** The same metadata with another `$tb`. */
export const withTruncateBefore = (content: Uint8Array | null, revision: number): Buffer =>
  Buffer.from(JSON.stringify({ ...(content && parsed(content)), $tb: revision }));

export const SOFT_DELETED_METADATA = Buffer.from(`{"$tb":${HIGHEST_REVISION}}`);

interface Metadata {
  readonly $tb?: number;
  readonly $maxCount?: number;
  readonly $maxAge?: number;
}

function parsed(content: Uint8Array): Metadata {
  try {
    return JSON.parse(Buffer.from(content).toString()) as Metadata;
  } catch {
    return {};
  }
}
