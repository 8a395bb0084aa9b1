import { createHash } from 'node:crypto';
import { ObjectDamagedError } from './port.js';

/**
 * Streamed content, verified at its end.
 * @param sha256 lower-case hex
 * @throws the result of `damaged` instead of yielding the last chunk if the hash differs, so that no reader takes it
 * for whole
 */
export async function* verified(
  content: AsyncIterable<Uint8Array>,
  sha256: string,
  damaged: () => Error,
): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256');
  let last: Uint8Array | null = null;
  for await (const chunk of orDamaged(content, damaged)) {
    hash.update(chunk);
    if (last) yield last;
    last = chunk;
  }
  if (hash.digest('hex') !== sha256) throw damaged();
  if (last) yield last;
}

/**
 * Returns the result of `read` for content that may be damaged. If `read` throws, the content is read to its end, and
 * damage, if any, is thrown instead.
 * @param sha256 lower-case hex
 * @throws what `read` throws; what `damaged` makes; what the content throws when it breaks off
 */
export async function readVerified<T>(
  content: AsyncIterable<Uint8Array>,
  sha256: string,
  damaged: () => Error,
  read: (content: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const hash = createHash('sha256');
  const source = orDamaged(content, damaged);
  const whole = { next: () => source.next(), [Symbol.asyncIterator]: () => whole };
  let brokeOff = false;
  // Runs on when a reader stops early, because the hash needs the rest.
  const hashed = async function* () {
    try {
      for await (const chunk of whole) {
        hash.update(chunk);
        yield chunk;
      }
    } catch (error) {
      brokeOff = true;
      throw error;
    }
  };
  let outcome: { readonly result: T } | { readonly error: unknown };
  try {
    outcome = await read(hashed()).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    if (!brokeOff) {
      for await (const chunk of whole) hash.update(chunk);
      if (hash.digest('hex') !== sha256) throw damaged();
    }
  } finally {
    await source.return(undefined);
  }
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

async function* orDamaged(
  content: AsyncIterable<Uint8Array>,
  damaged: () => Error,
): AsyncGenerator<Uint8Array, undefined, undefined> {
  try {
    yield* content;
  } catch (error) {
    throw error instanceof ObjectDamagedError ? damaged() : error;
  }
}
