/** Limits of a file. A file beyond them is refused with a reason. */
export interface FileLimits {
  /** Limit on one row, line or record in the unpacked file. */
  readonly rowBytes: number;
  /** Levels of lists and objects within a row. */
  readonly nesting: number;
  /** Bytes of the whole file once unpacked. */
  readonly unpackedBytes: number;
  /** Maximum ratio of unpacked to packed bytes, checked from `ratioFromBytes` on. */
  readonly ratio: number;
  readonly ratioFromBytes: number;
  /** Distinct labels of one dataset, and bytes of all of them together as JSON: they go into an event, some twice. */
  readonly labels: number;
  readonly labelBytes: number;
  readonly labelLength: number;
  /** Native memory for reading a table, in addition to the program's. */
  readonly tableMiB: number;
}

/** Storage that is left for rows, of their owner's bounds. */
export interface Room {
  readonly bytes: number;
  readonly rows: number;
}

const MiB = 1024 * 1024;

export const DEFAULT_LIMITS: FileLimits = {
  rowBytes: 16 * MiB,
  nesting: 100,
  unpackedBytes: 16 * 1024 * MiB,
  // Labelled text packs 3 to 30 times; a bomb about 1,000 times.
  ratio: 200,
  ratioFromBytes: 16 * MiB,
  labels: 10_000,
  labelBytes: 100_000,
  labelLength: 200,
  tableMiB: 1024,
};

/** The whole file cannot be read. Clients see the message, which is always one line. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
  constructor(message: string) {
    super(oneLine(message));
  }
}

/** Replaces every run of control characters, line breaks and tabs by one blank. */
export const oneLine = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');

/** `16 MiB`, `900 bytes`. */
export const inBytes = (bytes: number): string =>
  bytes >= MiB ? `${Number((bytes / MiB).toFixed(1))} MiB` : `${bytes} bytes`;

/** UTF-8 bytes of a label's JSON, as events store it. */
export const labelBytes = (label: string): number => Buffer.byteLength(JSON.stringify(label));
