import { PassThrough } from 'node:stream';
import type { FastifyRequest } from './http.js';

/** A body as it comes, for as long as it moves. Leaving it early does not close the connection before the client has read why. */
export function streamedBody({ raw, server }: FastifyRequest): AsyncIterable<Uint8Array> {
  const content = new PassThrough();
  server.connections.reads(raw, null, (error) => {
    raw.unpipe(content);
    content.destroy(error);
  });
  raw.once('error', (error) => content.destroy(error));
  // Its reader meets the error, also one that begins later; without a listener it would end the process until then.
  content.on('error', () => undefined);
  return raw.pipe(content);
}

/** The announced length of a body in bytes; null if the client did not say. */
export function announcedLength({ headers }: FastifyRequest): number | null {
  const length = Number(headers['content-length'] ?? 'none');
  return Number.isSafeInteger(length) && length >= 0 ? length : null;
}
