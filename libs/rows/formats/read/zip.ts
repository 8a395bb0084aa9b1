import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from 'yauzl';
import { UnreadableFileError, type FileLimits } from '../limits.js';
import { inflated, limited } from './inflate.js';

/** A file in a zip archive. */
export interface ZipEntry {
  /** As in the archive: it may contain folders, and is never used as a path. */
  readonly name: string;
  readonly header: Entry;
}

const MAX_DIRECTORY_BYTES = 32 * 1024 * 1024;
const MAX_ENTRIES = 100_000;
const CHUNK = 256 * 1024;
const STORED = 0;
const DEFLATED = 8;

/** A zip archive on the disk, read by its directory. */
export class ZipArchive {
  private constructor(
    private readonly file: FileHandle,
    private readonly zip: ZipFile,
    /** Files in the order of the directory, without folders and leftovers of operating systems. */
    readonly entries: readonly ZipEntry[],
  ) {}

  /** @throws UnreadableFileError when it is no whole archive */
  static async open(path: string): Promise<ZipArchive> {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      // Names are decoded here: many programs write UTF-8 without the flag for it.
      const options = { autoClose: false, decodeStrings: false };
      const zip = await whole(fromRandomAccessReaderPromise(new BoundedReader(file), size, options));
      return new ZipArchive(file, zip, (await whole(entriesOf(zip))).filter(isFile));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The bytes of a file. @throws UnreadableFileError (while iterating) when it is damaged or grows beyond the limits */
  async *read({ header }: ZipEntry, limits: FileLimits): AsyncGenerator<Buffer> {
    const { compressionMethod: method, compressedSize, uncompressedSize } = header;
    if (header.isEncrypted()) throw new UnreadableFileError('the zip archive is encrypted; pack it without a password');
    if (method !== STORED && method !== DEFLATED)
      throw new UnreadableFileError(`the zip archive is packed by method ${method}; pack it with deflate`);
    const { fileDataStart } = await whole(this.zip.readLocalFileHeaderPromise(header, { minimal: true }));
    const packed = this.bytes(fileDataStart, compressedSize);
    let [size, crc] = [0, 0];
    for await (const chunk of method === STORED ? limited(packed, limits) : inflated(packed, 'zip', limits)) {
      size += chunk.length;
      crc = crc32(chunk, crc);
      yield chunk;
    }
    if (size !== uncompressedSize || crc !== header.crc32) throw damaged('a file in it is not the one that was packed');
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private async *bytes(start: number, length: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < length; at += CHUNK) yield await exactly(this.file, start + at, Math.min(CHUNK, length - at));
  }
}

const damaged = (why: string) => new UnreadableFileError(`the zip archive is damaged: ${why}`);

/** Excludes folders, and the files that macOS and others add. */
const isFile = ({ name }: ZipEntry): boolean => !name.endsWith('/') && !/(?:^|\/)(?:__MACOSX\/|\.)/.test(name);

async function entriesOf(zip: ZipFile): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = [];
  let size = 0;
  for await (const header of zip.eachEntry()) {
    size += header.fileNameLength + header.extraFieldLength + header.fileCommentLength;
    if (size > MAX_DIRECTORY_BYTES || entries.length >= MAX_ENTRIES)
      throw new UnreadableFileError('the zip archive holds too many files');
    entries.push({ name: header.fileNameRaw.toString('utf8'), header });
  }
  return entries;
}

/**
 * Awaits the library. Its own errors are about the archive; those with a code are the system's, and are rethrown
 * unchanged.
 */
async function whole<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof UnreadableFileError || (error as NodeJS.ErrnoException).code !== undefined) throw error;
    throw damaged((error as Error).message);
  }
}

async function exactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(position)) throw damaged('it points out of itself');
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw damaged('it ends too early; was the file cut off?');
  return buffer;
}

/** Refuses offsets outside the file. The library's own reader throws there, where nothing catches it. */
class BoundedReader extends RandomAccessReader {
  constructor(private readonly file: FileHandle) {
    super();
  }

  override read(target: Buffer, offset: number, length: number, position: number, done: (error: Error | null) => void) {
    exactly(this.file, position, length).then((bytes) => {
      bytes.copy(target, offset);
      done(null);
    }, done);
  }
}
