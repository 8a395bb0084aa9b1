import { crc32 } from 'node:zlib';

/** The same of a packed event. */
export const packedChecksumOf = (
  position: number,
  stream: string,
  revision: number,
  type: string,
  id: string,
  packed: Uint8Array,
): number => crc32(packed, crc32(`${position} ${stream} ${revision} ${type} ${id}\n`));

/** CRC-32 of all parts of an event, including the names of its stream and type. Under a microsecond for a small one. */
export const checksumOf = (
  position: number,
  stream: string,
  revision: number,
  type: string,
  id: string,
  data: string,
  metadata: string,
): number => crc32(`${position} ${stream} ${revision} ${type} ${id}\n${data}\n${metadata}`);
