import type { IncomingHttpHeaders } from 'node:http';
import { API_KEY_PREFIXES, hasKeyPrefix } from '#primitives/secrets/index.js';
import { HttpError } from '../errors/http-error.js';

/** The credentials in a request. */
export type Credentials =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'session'; readonly token: string; readonly byCookie: boolean };

export const SESSION_COOKIE = 'anneal_session';

/**
 * The credentials in a request: `X-API-Key` before `Authorization: Bearer` before the cookie. A Bearer value without
 * the key prefix is a session token.
 * @throws HttpError 401 when there are none, or they have an impossible form
 */
export function credentialsOf(headers: IncomingHttpHeaders): Credentials {
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return apiKey(key);
  const { authorization } = headers;
  if (authorization) return bearer(authorization);
  const token = sessionCookie(headers.cookie);
  if (token !== null) return { kind: 'session', token, byCookie: true };
  throw new HttpError(401, NOTHING_SENT, { detail: { message: NOTHING_SENT, code: 'invalid_credentials' } });
}

/** Whether the request has an API key, valid or not. */
export function showsApiKey(headers: IncomingHttpHeaders): boolean {
  const bearerKey = hasKeyPrefix((headers.authorization ?? '').replace(/^bearer\s+/i, ''));
  return bearerKey || (headers['x-api-key'] ?? '') !== '';
}

export const unauthorized = (message: string): HttpError =>
  new HttpError(401, message, { code: 'invalid_credentials', detail: message });

const NOTHING_SENT = 'no credentials: send your API key in the X-API-Key header, or as Authorization: Bearer';

function apiKey(key: string): Credentials {
  if (!hasKeyPrefix(key)) throw unauthorized(`not an API key: keys begin with ${API_KEY_PREFIXES.join(' or ')}`);
  return { kind: 'key', key };
}

function bearer(authorization: string): Credentials {
  const value = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (value === undefined) throw unauthorized('the Authorization header should be: Bearer, a space, and an API key');
  return hasKeyPrefix(value) ? { kind: 'key', key: value } : { kind: 'session', token: value, byCookie: false };
}

function sessionCookie(cookies: string | undefined): string | null {
  for (const cookie of cookies?.split(';') ?? []) {
    const [name, value] = cookie.trim().split('=', 2);
    if (name === SESSION_COOKIE && value) return value;
  }
  return null;
}
