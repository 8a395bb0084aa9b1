import { linesOf } from '#rows/formats/index.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { verified } from '#ports/object-store/verified.js';

/**
 * The lines of a stored file without the empty ones, checked against its hash.
 * @param damaged creates the error if the object is missing or another one
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
