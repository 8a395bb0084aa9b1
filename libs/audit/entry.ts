import type { StoredEvent } from '#ports/event-store/stored-event.js';
import { sha256, toBase64, utf8 } from './primitives.js';
import { leafHash } from './tree/hashes.js';
import { provesInclusion, type TreeHead } from './tree/proofs.js';

/**
 * The entry of an event in the tree: five lines of text. The last is a salted digest of id, data and metadata, so that
 * the entry reveals nothing of them once event and salt are erased.
 * @param salt 32 hexadecimal digits
 */
export function entryOf({ position, stream, revision, type, id, data, metadata }: StoredEvent, salt: string): string {
  const digest = toBase64(sha256(utf8(`${salt}\n${id}\n${data}\n${metadata}`)));
  return `${position}\n${stream}\n${revision}\n${type}\n${digest}`;
}

/** The hash of an entry's leaf (RFC 6962). */
export const leafOf = (entry: string): Uint8Array => leafHash(utf8(entry));

/** Whether the entry is the leaf of that number in the checkpoint's tree. @param proof hashes from the leaf's sibling upwards */
export const isIncluded = (
  { entry, leaf, proof }: { readonly entry: string; readonly leaf: number; readonly proof: readonly Uint8Array[] },
  { size, root }: TreeHead,
): boolean => provesInclusion({ leaf: leafOf(entry), index: leaf, size, root }, proof);
