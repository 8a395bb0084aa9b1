import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

const CHUNK_BYTES = 1024 * 1024;

/** Lower-case hex. @throws Error of the file system */
export const sha256OfFile = (path: string): Promise<string> =>
  sha256OfStream(createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>);

/** Lower-case hex. @throws what the stream throws */
export async function sha256OfStream(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk);
  return hash.digest('hex');
}
