import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { decoderOf, undecodable, type BodyEncoding } from './body-encoding.js';
import { badRequest, HttpError } from '../errors/http-error.js';
import type { FastifyRequest } from '../http.js';
import { clientNetwork } from '../connections/client-network.js';

/**
 * Reads a whole body within limits of time, pace and memory for unfinished bodies. Decoding stops at an exceeded limit.
 * @param done called once; after an error (408, 413, 429, 503; 400 if the client disconnected) the rest is dropped
 */
export function collectBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  { maxBytes, look, encoding }: BodyBounds,
  done: (error: Error | null, bytes: Buffer) => void,
): void {
  const { connections } = request.server;
  const { held } = connections;
  const declared = Number(request.headers['content-length'] ?? NaN);
  if (declared > maxBytes) return done(tooLarge(maxBytes), NOTHING);
  try {
    if (declared > TOGETHER) held.requireRoom(clientNetwork(request.ip), declared);
  } catch (error) {
    return done(error as Error, NOTHING);
  }
  const body = new Pieces();
  let network: string | null = null;
  let taken = 0;
  let ended = false;
  const decoder = encoding === null ? null : decoderOf(encoding);
  const end = (error: Error | null): void => {
    if (ended) return;
    ended = true;
    if (decoder !== null) {
      payload.unpipe(decoder).resume();
      decoder.destroy();
    }
    if (network !== null) held.release(network, taken);
    done(error, error ? NOTHING : body.whole());
    body.clear();
  };
  const take = (bytes: number): void => {
    network ??= clientNetwork(request.ip);
    held.take(network, bytes);
    taken += bytes;
  };
  connections.reads(payload, connections.limits.bodyMs, end);
  let source: Readable = payload;
  if (encoding !== null && decoder !== null) {
    try {
      take(DECODER_BYTES);
    } catch (error) {
      return end(error as Error);
    }
    let received = 0;
    // Encoded bytes may not produce any output.
    payload.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxBytes) end(tooLarge(maxBytes));
    });
    decoder.on('error', (error) => end(undecodable(encoding, error)));
    source = payload.pipe(decoder);
  }
  source.on('data', (chunk: Buffer) => {
    if (ended) return;
    if (body.size + chunk.length > maxBytes) return end(tooLarge(maxBytes));
    try {
      look(chunk);
    } catch (error) {
      return end(error as Error);
    }
    // A body that arrives at once is held no longer than its reading takes.
    const isWhole = decoder === null && chunk.length === declared;
    const bytes = body.push(chunk, isWhole);
    try {
      if (!isWhole && bytes > 0) take(bytes);
    } catch (error) {
      end(error as Error);
    }
  });
  source.on('end', () => end(null));
  // No client reads this 400, but error counts must not show a 500.
  payload.on('error', (error) => end(badRequest('the request ended before its body was complete', { cause: error })));
}

interface BodyBounds {
  /** Most bytes that are received, and most that they may decode to. */
  readonly maxBytes: number;
  /** null: the body is not encoded. */
  readonly encoding: BodyEncoding | null;
  /** Checks each chunk as it arrives; throws to refuse the body. */
  readonly look: (chunk: Buffer) => void;
}

const NOTHING = Buffer.alloc(0);
/** Memory of a decoder before it has decoded anything, about. */
const DECODER_BYTES = 128 * 1024;
/** Smaller pieces are merged, because each buffer has an overhead of about 100 bytes. */
const SMALL = 2_048;
const TOGETHER = 16_384;

/** The pieces of a body. */
class Pieces {
  size = 0;
  private pieces: Buffer[] = [];
  private tail: Buffer | null = null;
  private used = 0;

  /** @returns how many bytes more are held */
  push(piece: Buffer, isWhole: boolean): number {
    this.size += piece.length;
    if (isWhole || piece.length >= SMALL) {
      this.closeTail();
      this.pieces.push(piece);
      return piece.length;
    }
    let more = 0;
    if (this.tail === null || this.used + piece.length > this.tail.length) {
      this.closeTail();
      this.tail = Buffer.allocUnsafeSlow(TOGETHER);
      more = TOGETHER;
    }
    this.used += piece.copy(this.tail, this.used);
    return more;
  }

  whole(): Buffer {
    this.closeTail();
    const [first = NOTHING] = this.pieces;
    return this.pieces.length > 1 ? Buffer.concat(this.pieces, this.size) : first;
  }

  clear(): void {
    this.pieces = [];
    this.tail = null;
  }

  private closeTail(): void {
    if (this.tail !== null) this.pieces.push(this.tail.subarray(0, this.used));
    this.tail = null;
    this.used = 0;
  }
}

export const tooLarge = (maxBytes: number): HttpError =>
  new HttpError(413, `the body is larger than ${maxBytes} bytes`, { code: 'request_too_large' });
