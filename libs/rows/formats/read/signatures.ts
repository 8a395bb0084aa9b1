/** The first bytes of packed files. */
export const GZIP = [0x1f, 0x8b];
export const ZSTANDARD = [0x28, 0xb5, 0x2f, 0xfd];
export const ZIP = [0x50, 0x4b, 0x03, 0x04];
export const startsWith = (head: Buffer, bytes: readonly number[]): boolean =>
  bytes.every((byte, at) => head[at] === byte);
