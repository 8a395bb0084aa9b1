import { Readable } from 'node:stream';
import { attachment } from '#ports/object-store/attachment.js';
import type { ByteRange } from '#ports/object-store/port.js';
import { matches, VARY } from './conditional.js';
import { HttpError } from './errors/http-error.js';
import type { FastifyReply, FastifyRequest } from './http.js';

/** Stored content of known length. */
interface StoredFile {
  readonly mediaType: string;
  readonly fileName: string;
  /** Bytes. */
  readonly size: number;
  /** Strong: identifies these exact bytes. Quoted. */
  readonly etag: string;
  readonly read: (range?: ByteRange) => Promise<AsyncIterable<Uint8Array>>;
}

/**
 * Sends a file, or the part of it that the request asks for (RFC 9110, sections 13 and 14): 200, 206 or 304. HEAD reads nothing.
 * @throws HttpError 416 for a range beyond the end
 */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, file: StoredFile): Promise<void> {
  const { mediaType, fileName, size, etag } = file;
  const { headers, method } = request;
  const isUnchanged = matches(headers['if-none-match'], etag);
  // Range applies to GET only, and only if the client's part belongs to this content.
  const isPart = method === 'GET' && !isUnchanged && (headers['if-range'] ?? etag) === etag;
  const range = isPart ? rangeOf(headers.range, size) : null;
  // Opened before any header is set: what fails here is answered as an error.
  const content = isUnchanged || method === 'HEAD' ? [] : await file.read(range ?? undefined);
  const { start, end } = range ?? { start: 0, end: size };
  reply
    .header('etag', etag)
    .header('accept-ranges', 'bytes')
    .header('cache-control', 'private, no-cache')
    .header('vary', VARY);
  if (isUnchanged) reply.code(304);
  else reply.header('content-type', mediaType).header('content-disposition', attachment(fileName));
  if (range !== null) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${size}`);
  if (!isUnchanged) reply.header('content-length', end - start);
  // Always a stream, even if empty: Fastify sets its own length for any other payload.
  await reply.send(Readable.from(content));
}

/**
 * The one requested range; null for none, for several and for an invalid one: a server may then send the whole.
 * @throws HttpError 416
 */
function rangeOf(header: string | undefined, size: number): Required<ByteRange> | null {
  const [, first = '', last = ''] = /^\s*bytes\s*=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? [];
  if (first === '') {
    const length = Math.min(Number(last), size);
    if (last === '' || size === 0) return null;
    if (length === 0) throw beyondEnd(size);
    return { start: size - length, end: size };
  }
  const [start, end] = [Number(first), last === '' ? size : Math.min(Number(last) + 1, size)];
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) throw beyondEnd(size);
  return { start, end };
}

const beyondEnd = (size: number): HttpError =>
  new HttpError(416, `the range begins beyond the end of the file, which has ${size} bytes`, {
    code: 'range_not_satisfiable',
    headers: { 'content-range': `bytes */${size}` },
  });
