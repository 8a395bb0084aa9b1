import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from '../errors/http-error.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A browser sends the cookie with requests that other sites make it send; those say where they come from. What changes
 * something must come from here: by `Sec-Fetch-Site`, else by `Origin`, and one of the two must be there.
 * https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html
 * @throws HttpError 403
 */
export function requireSameSite(method: string, headers: IncomingHttpHeaders, publicUrl: string | null): void {
  if (SAFE_METHODS.has(method)) return;
  if (comesFromHere(headers, publicUrl) !== true)
    throw new HttpError(
      403,
      'a request by cookie must come from a page of this site (Origin or Sec-Fetch-Site header)',
      {
        code: 'forbidden',
      },
    );
}

/** Checks a sign-in, which needs no cookie yet: refuses only requests that say they come from another site. */
export function refuseOtherSites(headers: IncomingHttpHeaders, publicUrl: string | null): void {
  if (comesFromHere(headers, publicUrl) === false)
    throw new HttpError(403, 'sign in from a page of this site', { code: 'forbidden' });
}

/** null where the request does not say. */
function comesFromHere(headers: IncomingHttpHeaders, publicUrl: string | null): boolean | null {
  const site = headers['sec-fetch-site'];
  if (typeof site === 'string') return site === 'same-origin';
  const { origin, host } = headers;
  if (origin === undefined) return null;
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.host === host || (publicUrl !== null && url.origin === new URL(publicUrl).origin);
}
