import type { IncomingMessage } from 'node:http';
import { badRequest } from '../errors/http-error.js';

/**
 * The `Idempotency-Key` of a request, null without one. The draft makes it a quoted string (RFC 8941); most clients send it bare.
 * @throws HttpError 400
 */
export function idempotencyKeyOf({ headersDistinct }: IncomingMessage): string | null {
  const given = headersDistinct['idempotency-key'];
  if (given === undefined) return null;
  const [header = ''] = given;
  if (given.length > 1) throw badRequest('the Idempotency-Key header is given twice; send one key');
  const key = /^\s*"((?:[^"\\]|\\["\\])*)"\s*$/.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1') ?? header.trim();
  if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(key))
    throw badRequest('the Idempotency-Key header must be 1 to 255 printable ASCII characters, such as a UUID');
  return key;
}
