import { PassThrough } from 'node:stream';
import { badRequest, HttpError } from '../errors/http-error.js';
import type { FastifyRequest } from '../http.js';

/**
 * A streamed body, for as long as it progresses. Leaving it early does not close the connection before the client has
 * read the answer.
 */
export function streamedBody({ raw, server }: FastifyRequest): AsyncIterable<Uint8Array> {
  const content = new PassThrough();
  server.connections.reads(raw, null, (error) => {
    raw.unpipe(content);
    content.destroy(error);
  });
  raw.once('error', (error) => content.destroy(error));
  // The reader meets the error, even if it begins later. Without a listener the error would end the process before.
  content.on('error', () => undefined);
  return raw.pipe(content);
}

/**
 * Reads an unencoded body, and answers. The rest of a refused one is read and dropped.
 * @param advice for a client that has sent an encoded body
 * @throws HttpError 415 for an encoded body; 400 for one that breaks off
 */
export async function readingBody<T>(
  request: FastifyRequest,
  advice: string,
  read: (content: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const { raw, headers } = request;
  try {
    if (!/^\s*identity\s*$/i.test(headers['content-encoding'] ?? 'identity'))
      throw new HttpError(415, `Content-Encoding is not supported on this route: ${advice}`);
    return await read(streamedBody(request));
  } catch (error) {
    if (raw.errored ?? raw.readableAborted)
      throw badRequest('the upload ended before the file was complete', { cause: error });
    raw.resume();
    throw error;
  }
}

/** The announced length of a body in bytes; null if the client did not say. */
export function announcedLength({ headers }: FastifyRequest): number | null {
  const length = Number(headers['content-length'] ?? 'none');
  return Number.isSafeInteger(length) && length >= 0 ? length : null;
}
