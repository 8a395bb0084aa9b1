import { pipeline } from 'node:stream/promises';
import { createGunzip, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { inBytes, UnreadableFileError, type FileLimits } from '../limits.js';

const CHUNK = 256 * 1024;

/** Ways to pack bytes that are unpacked as they come. */
const UNPACKERS = {
  gzip: () => createGunzip({ chunkSize: CHUNK }),
  zip: () => createInflateRaw({ chunkSize: CHUNK }),
  Zstandard: () => createZstdDecompress({ chunkSize: CHUNK }),
};

type Packing = keyof typeof UNPACKERS;

/**
 * Unpacks bytes.
 * @throws UnreadableFileError (while iterating) data that are damaged, cut off or grow beyond the limits
 */
export async function* inflated(
  source: AsyncIterable<Buffer>,
  packing: Packing,
  limits: FileLimits,
): AsyncGenerator<Buffer> {
  const unpacking = UNPACKERS[packing]();
  // The failure is reported by `unpacking` too.
  const feeding = pipeline(source, unpacking).catch(() => undefined);
  let total = 0;
  try {
    for await (const chunk of unpacking as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > limits.ratioFromBytes && total > limits.ratio * unpacking.bytesWritten)
        throw new UnreadableFileError(
          `the ${packing} data unpacks to more than ${limits.ratio} times its size, which is taken for an attack`,
        );
      if (total > limits.unpackedBytes) throw tooLong(limits);
      yield chunk;
    }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR')
      throw new UnreadableFileError(`the ${packing} data ends too early; was the file cut off?`);
    if (code.startsWith('Z_') || code.startsWith('ZSTD_'))
      throw new UnreadableFileError(`the ${packing} data is damaged (${message})`);
    throw error;
  } finally {
    unpacking.destroy();
    await feeding;
  }
}

export async function* limited(source: AsyncIterable<Buffer>, limits: FileLimits): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const chunk of source) {
    total += chunk.length;
    if (total > limits.unpackedBytes) throw tooLong(limits);
    yield chunk;
  }
}

const tooLong = (limits: FileLimits) =>
  new UnreadableFileError(`the file is longer than ${inBytes(limits.unpackedBytes)} once unpacked`);
