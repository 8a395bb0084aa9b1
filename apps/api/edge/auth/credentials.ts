import type { IncomingHttpHeaders } from 'node:http';
import { API_KEY_PREFIXES, hasKeyPrefix } from '#primitives/secrets/index.js';
import { HttpError } from '../errors/http-error.js';

/** The credentials in a request. */
export type Credentials =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'session'; readonly token: string; readonly byCookie: boolean };

export const SESSION_COOKIE = 'anneal_session';

/**
 * The credentials in a request: `X-API-Key` (`api-key`, as Azure's clients send it) before `Authorization: Bearer` before the cookie. A
 * Bearer value without the key prefix is a session token.
 * @throws HttpError 401 when there are none, or they have an impossible form
 */
export function credentialsOf(headers: IncomingHttpHeaders): Credentials {
  const { authorization } = headers;
  const sent = keysIn(headers);
  // Clients whose key is set twice send a placeholder in one of the headers.
  const key = [...sent, ...(authorization ? [authorization] : [])].map(withoutScheme).find(hasKeyPrefix);
  if (key !== undefined) return { kind: 'key', key };
  if (sent.length > 0) throw unauthorized(`not an API key: keys begin with ${API_KEY_PREFIXES.join(' or ')}`);
  if (authorization) return session(authorization);
  const token = sessionCookie(headers.cookie);
  if (token !== null) return { kind: 'session', token, byCookie: true };
  throw new HttpError(401, NOTHING_SENT, { detail: { message: NOTHING_SENT, code: 'invalid_credentials' } });
}

/** Whether the request has an API key, valid or not. */
export const showsApiKey = (headers: IncomingHttpHeaders): boolean =>
  keysIn(headers).length > 0 || hasKeyPrefix(withoutScheme(headers.authorization ?? ''));

const keysIn = (headers: IncomingHttpHeaders): readonly string[] =>
  [headers['x-api-key'], headers['api-key']].filter((key) => typeof key === 'string' && key !== '') as string[];

const withoutScheme = (value: string): string => value.replace(/^bearer +/i, '').trimEnd();

export const unauthorized = (message: string): HttpError =>
  new HttpError(401, message, { code: 'invalid_credentials', detail: message });

const NOTHING_SENT = 'no credentials: send your API key in the X-API-Key header, or as Authorization: Bearer';

function session(authorization: string): Credentials {
  const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw unauthorized('the Authorization header should be: Bearer, a space, and an API key');
  return { kind: 'session', token, byCookie: false };
}

function sessionCookie(cookies: string | undefined): string | null {
  for (const cookie of cookies?.split(';') ?? []) {
    const [name, value] = cookie.trim().split('=', 2);
    if (name === SESSION_COOKIE && value) return value;
  }
  return null;
}
