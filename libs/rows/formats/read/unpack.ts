import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UnreadableFileError, type FileLimits } from '../limits.js';
import { bratLines, holdsBrat } from './brat.js';
import { inflated, limited } from './inflate.js';
import type { OpenOptions } from './opened-file.js';
import { GZIP, startsWith, ZIP, ZSTANDARD } from './signatures.js';
import { spool } from './spool.js';
import { ZipArchive, type ZipEntry } from './zip.js';

/** A file whose outermost packing is off. */
interface Unpacked {
  /** The first bytes of the file, eight if it has as many. */
  readonly head: Buffer;
  readonly rest: AsyncIterable<Buffer>;
  readonly isPacked: boolean;
  /** `gzipped`, or the kind of archive; null: not compressed. */
  readonly packing: string | null;
  /** Name of the file in an archive; null: the upload itself. */
  readonly name: string | null;
  /** Whether the bytes are the pairs of files of a BRAT archive, as lines of JSON. */
  readonly isBrat?: boolean;
}

const HEAD_BYTES = 8;
/** In the header of the first file of an archive. */
const TAR_MARK = { at: 257, text: 'ustar' };
const MAX_LISTED = 5;

/**
 * The file's bytes, decompressed if they are gzip, Zstandard or a zip archive with one file in it, or with BRAT files
 * (detected by the first bytes).
 * @throws UnreadableFileError (while iterating, too) for compressed data that are damaged or expand beyond the limits
 */
export async function unpacked(
  source: AsyncIterable<Uint8Array>,
  { limits, folder, format }: Pick<OpenOptions, 'limits' | 'folder' | 'format'>,
): Promise<Unpacked> {
  const { head, rest } = await peek(source, HEAD_BYTES);
  const as = async (bytes: AsyncIterable<Buffer>, packing: string | null, name: string | null = null) => {
    const inner = await peek(bytes, TAR_MARK.at + TAR_MARK.text.length);
    if (inner.head.toString('latin1', TAR_MARK.at, TAR_MARK.at + TAR_MARK.text.length) === TAR_MARK.text)
      throw new UnreadableFileError(
        'the file is a tar archive; upload the files in it one by one, each plain, gzipped or as a zip archive',
      );
    return { head: inner.head.subarray(0, HEAD_BYTES), rest: inner.rest, isPacked: packing !== null, packing, name };
  };
  if (startsWith(head, GZIP)) return as(inflated(rest, 'gzip', limits), 'gzipped');
  if (startsWith(head, ZSTANDARD)) return as(inflated(rest, 'Zstandard', limits), 'packed with Zstandard');
  if (startsWith(head, ZIP)) {
    const path = join(folder, 'source.zip');
    await spool(limited(rest, limits), path);
    const archive = await ZipArchive.open(path);
    if ((format === null || format === 'brat') && holdsBrat(archive)) {
      const lines = closing(archive, path, bratLines(archive, (await stat(path)).size, limits));
      return { ...(await as(lines, 'in a zip archive')), isBrat: true };
    }
    const shards = shardsOf(archive);
    if (shards.length > 1)
      return as(closing(archive, path, allOf(archive, shards, limits)), `${shards.length} shards in a zip archive`);
    const entry = shards[0] ?? (await onlyFile(archive));
    return as(
      closing(archive, path, archive.read(entry, limits)),
      `${inQuotes(entry.name)} in a zip archive`,
      entry.name,
    );
  }
  return as(limited(rest, limits), null);
}

/** The tables of a folder that `save_to_disk` of Hugging Face's `datasets` wrote, in their order; none for any other archive. */
function shardsOf({ entries }: ZipArchive): readonly ZipEntry[] {
  const [shards, others] = [
    entries.filter(({ name }) => SHARD.test(name)),
    entries.filter(({ name }) => !SHARD.test(name)),
  ];
  const isSaved = others.length > 0 && others.every(({ name }) => /(?:^|\/)(?:state|dataset_info)\.json$/.test(name));
  const folders = new Set(shards.map(({ name }) => name.replace(SHARD, '')));
  return isSaved && folders.size === 1 ? shards.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : [];
}

const SHARD = /data-\d+-of-\d+\.arrow$/;

async function* allOf(archive: ZipArchive, entries: readonly ZipEntry[], limits: FileLimits): AsyncGenerator<Buffer> {
  for (const entry of entries) yield* archive.read(entry, limits);
}

/** @throws UnreadableFileError unless the archive holds one file */
async function onlyFile(archive: ZipArchive): Promise<ZipEntry> {
  const [entry, ...others] = archive.entries;
  if (entry === undefined || others.length > 0) {
    await archive.close();
    const names = archive.entries.map(({ name }) => name);
    if (names.includes('[Content_Types].xml'))
      throw new UnreadableFileError('the file is an Office document; save its table as CSV, and upload that');
    const shown = names.slice(0, MAX_LISTED).map(inQuotes).join(', ');
    const more = names.length > MAX_LISTED ? ', ...' : '';
    throw new UnreadableFileError(
      entry === undefined
        ? 'the zip archive holds no file'
        : `the zip archive holds ${names.length} files (${shown}${more}); upload them one by one, or packed with one file each`,
    );
  }
  return entry;
}

/** Removes the archive once it was read. */
async function* closing(archive: ZipArchive, path: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } finally {
    await archive.close();
    await rm(path, { force: true });
  }
}

const inQuotes = (name: string): string => JSON.stringify(name.slice(0, 80));

/**
 * The first bytes, until there are enough (fewer when there are no more), and the whole again. An error after the first
 * bytes is thrown to the reader of the whole, which knows the row.
 */
export async function peek(
  source: AsyncIterable<Uint8Array>,
  count: number,
  isEnough: (head: Buffer) => boolean = () => false,
) {
  const iterator = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  let broken: { readonly error: unknown } | null = null;
  while (head.length < count && (head.length === 0 || !isEnough(head))) {
    const next = await iterator.next().catch((error: unknown) => {
      if (head.length === 0) throw error;
      broken = { error };
      return { done: true } as const;
    });
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  async function* rest(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      if (broken !== null) throw broken.error;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield asBuffer(next.value);
    } finally {
      await iterator.return?.();
    }
  }
  return { head, rest: rest() };
}

/** UTF-16, which programs write with a byte order mark, as UTF-8; other text unchanged. */
export function asUtf8(head: Buffer, bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> | null {
  if (startsWith(head, [0xff, 0xfe])) return fromUtf16(bytes, 'utf-16le');
  return startsWith(head, [0xfe, 0xff]) ? fromUtf16(bytes, 'utf-16be') : null;
}

async function* fromUtf16(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let before = 0;
  const decoded = (chunk?: Buffer): Buffer => {
    try {
      return Buffer.from(decoder.decode(chunk, { stream: chunk !== undefined }));
    } catch {
      throw new UnreadableFileError(`the file is not valid UTF-16 behind byte ${before}; save it as UTF-8`);
    }
  };
  for await (const chunk of bytes) {
    const text = decoded(chunk);
    before += chunk.length;
    if (text.length > 0) yield text;
  }
  const last = decoded();
  if (last.length > 0) yield last;
}

const asBuffer = (chunk: Uint8Array): Buffer =>
  Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);

/** The text after its first bytes. */
export async function* from(text: AsyncIterable<Buffer>, start: number): AsyncGenerator<Buffer> {
  let left = start;
  for await (const chunk of text) {
    if (chunk.length > left) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}
