import { NoteError } from './checkpoint.js';

const MAX_BYTES = 64 * 1024;

/** The bytes of a short answer. @throws NoteError for a long one */
export async function bytesOf({ body }: Pick<Response, 'body'>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    pieces.push(piece as Uint8Array);
    if ((bytes += (piece as Uint8Array).length) > MAX_BYTES) throw new NoteError('its answer is too long');
  }
  return Buffer.concat(pieces);
}

export const textOf = async (response: Pick<Response, 'body'>): Promise<string> =>
  (await bytesOf(response)).toString('utf8');
