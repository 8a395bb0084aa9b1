import { createHash } from 'node:crypto';

/**
 * Content as it comes, checked at its end.
 * @param sha256 lower-case hex
 * @throws what `damaged` makes, after the last chunk, when the hash is another
 */
export async function* verified(
  content: AsyncIterable<Uint8Array>,
  sha256: string,
  damaged: () => Error,
): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) throw damaged();
}
