import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { Transform } from 'node:stream';
import { badRequest, HttpError } from '../errors/http-error.js';

/** 8 MiB. A decoder must take windows up to this size, and no sender may exceed it (RFC 9659). */
const ZSTD_WINDOW_LOG = 23;

const DECODERS = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
} as const satisfies Readonly<Record<string, () => Transform>>;

export type BodyEncoding = keyof typeof DECODERS;

/** Encodings of JSON bodies (https://www.iana.org/assignments/http-parameters#content-coding). */
export const BODY_ENCODINGS = Object.keys(DECODERS) as readonly BodyEncoding[];

/** Makes the stream that decodes a body. */
export const decoderOf = (encoding: BodyEncoding): Transform => DECODERS[encoding]();

/**
 * The encoding of a body; null if it is not encoded.
 * @param header `Content-Encoding`
 * @param taken encodings that this route accepts
 * @throws HttpError 415 for any other encoding, and for several, whose decoders would multiply a small body twice
 */
export function encodingOf<E extends string>(header: string | undefined, taken: readonly E[]): E | null {
  if (header === undefined) return null;
  const named = header.split(',').map((each) => each.trim().toLowerCase());
  const encodings = named.filter((each) => each !== '' && each !== 'identity');
  const [first] = encodings;
  if (first === undefined) return null;
  const found = taken.find((each) => each === (first === 'x-gzip' ? 'gzip' : first));
  if (found !== undefined && encodings.length === 1) return found;
  const problem = encodings.length > 1 ? 'names several encodings' : 'is not an encoding that this route takes';
  throw new HttpError(
    415,
    `Content-Encoding: ${JSON.stringify(header.slice(0, 80))} ${problem}; send the body uncompressed, or with one of ${taken.join(', ')}`,
    { code: 'unsupported_encoding', headers: { 'accept-encoding': taken.join(', ') } },
  );
}

/** The 400 for a body that its decoder cannot read. */
export function undecodable(encoding: BodyEncoding, error: NodeJS.ErrnoException): HttpError {
  const where = error.code === 'Z_BUF_ERROR' ? ': it ends too early' : '';
  return badRequest(`the body is not valid ${encoding}${where}`, { cause: error });
}
