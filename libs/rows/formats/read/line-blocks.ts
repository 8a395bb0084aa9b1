import type { FileLimits } from '../limits.js';

const NEWLINE = 0x0a;

/** Bytes of a block; reading one takes several times as much memory. */
export const BLOCK_BYTES = 1024 * 1024;

/**
 * Cuts text into blocks of whole lines. A line beyond the limit is passed on as far as it was read, as the last one:
 * the reader of the block knows its number.
 */
export const lineBlocks = (
  text: AsyncIterable<Buffer>,
  limits: Pick<FileLimits, 'rowBytes'>,
  blockBytes: number,
): AsyncGenerator<Buffer> => wholeBlocks(text, limits, blockBytes, (chunk) => chunk.lastIndexOf(NEWLINE) + 1);

/**
 * Cuts text into blocks by `cut`, which returns how many bytes of a chunk belong to rows that end in it, or 0. Chunks
 * come in order, each once. When the text breaks off with an error, whole rows before it are passed on first.
 */
export async function* wholeBlocks(
  text: AsyncIterable<Buffer>,
  limits: Pick<FileLimits, 'rowBytes'>,
  blockBytes: number,
  cut: (chunk: Buffer) => number,
): AsyncGenerator<Buffer> {
  let whole: Buffer[] = [];
  let wholeBytes = 0;
  let begun: Buffer[] = [];
  let begunBytes = 0;
  try {
    for await (const chunk of text) {
      const end = cut(chunk);
      if (end > 0) {
        whole.push(...begun, chunk.subarray(0, end));
        wholeBytes += begunBytes + end;
        begun = [];
        begunBytes = 0;
      }
      if (end < chunk.length) {
        begun.push(chunk.subarray(end));
        begunBytes += chunk.length - end;
      }
      // The CSV reader checks the length at the next byte, hence one byte more.
      if (begunBytes > limits.rowBytes + 1) {
        yield Buffer.concat([...whole, ...begun]);
        return;
      }
      if (wholeBytes < blockBytes) continue;
      yield Buffer.concat(whole, wholeBytes);
      whole = [];
      wholeBytes = 0;
    }
  } catch (error) {
    if (wholeBytes > 0) yield Buffer.concat(whole);
    throw error;
  }
  if (wholeBytes + begunBytes > 0) yield Buffer.concat([...whole, ...begun]);
}
