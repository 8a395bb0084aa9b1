import { LineSplitter } from '#dataset-formats/index.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { verified } from '#ports/object-store/verified.js';

/**
 * The lines of a stored file without the empty ones, checked against its hash.
 * @param damaged makes the error where the object is gone or another one
 * @throws the signal's reason
 */
export async function* storedLines(
  store: ObjectStore,
  { objectKey, sha256 }: { readonly objectKey: string; readonly sha256: string },
  damaged: () => Error,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    yield* linesOf(verified(await store.get(objectKey), sha256, damaged), signal);
  } catch (error) {
    throw error instanceof ObjectNotFoundError ? damaged() : error;
  }
}

/** @throws the signal's reason */
export async function* linesOf(content: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Buffer> {
  const splitter = new LineSplitter();
  for await (const chunk of content) {
    signal.throwIfAborted();
    yield* splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)).filter(hasContent);
  }
  yield* splitter.end().filter(hasContent);
}

const hasContent = (line: Buffer): boolean => line.length > 0;
