import { isInside } from '#primitives/files/inside.js';
import type { ObjectStoreAddress } from './open.js';
import { parseS3Address } from './s3/address.js';

/** Whether one of two places is in the other, so that objects of both would be mixed, or lost together. @throws TypeError */
export function overlaps(one: ObjectStoreAddress, other: ObjectStoreAddress): boolean {
  if (one.kind === 'folder' && other.kind === 'folder')
    return isInside(one.directory, other.directory) || isInside(other.directory, one.directory);
  if (one.kind !== 's3' || other.kind !== 's3') return false;
  const [a, b] = [parseS3Address(one.address), parseS3Address(other.address)];
  const isSameBucket = a.bucket === b.bucket && a.endpoint === b.endpoint;
  return isSameBucket && (a.prefix.startsWith(b.prefix) || b.prefix.startsWith(a.prefix));
}
