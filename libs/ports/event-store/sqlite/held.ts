/** `[id, stream, type, data, metadata, checksum]` of a held event; a packed one has bytes as data, and empty metadata. */
export type HeldRow = readonly [
  ...[id: string, stream: string, type: string],
  ...[data: string | Uint8Array, metadata: string, checksum: number],
];
export const HELD_COLUMNS = 'id, stream, type, data, metadata, checksum';
/** A held event has no place in the log yet; its checksum is that of this one. */
export const HELD_AT = 0;
