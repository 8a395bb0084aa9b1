import type { IncomingHttpHeaders } from 'node:http';
import type { Settings } from '#settings/index.js';
import { HttpError } from '../errors/http-error.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Settings that distinguish pages of this site from others'. */
export type Site = Pick<Settings, 'publicUrl' | 'corsOrigins'>;

/**
 * Browsers attach the cookie to cross-site requests too, and name the origin. A change must come from this site, by
 * `Sec-Fetch-Site` or else by `Origin`, one of which must be present; or from an origin that the operator lists.
 * https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html
 */
export function requireSameSite(method: string, headers: IncomingHttpHeaders, site: Site): void {
  if (SAFE_METHODS.has(method)) return;
  if (comesFromHere(headers, site) !== true)
    throw new HttpError(
      403,
      'a request by cookie must come from a page of this site (Origin or Sec-Fetch-Site header)',
      {
        code: 'forbidden',
      },
    );
}

/** Checks a sign-in, which needs no cookie yet: refuses only requests that declare another site as their origin. */
export function refuseOtherSites(headers: IncomingHttpHeaders, site: Site): void {
  if (comesFromHere(headers, site) === false)
    throw new HttpError(403, 'sign in from a page of this site', { code: 'forbidden' });
}

/** null if the request does not show it. */
function comesFromHere(headers: IncomingHttpHeaders, { publicUrl, corsOrigins }: Site): boolean | null {
  const { origin, host } = headers;
  // `*` trusts no origin: pages of any origin may then call with a key of their own, and none with the user's cookie.
  if (origin !== undefined && corsOrigins !== '*' && corsOrigins?.includes(origin)) return true;
  const site = headers['sec-fetch-site'];
  if (typeof site === 'string') return site === 'same-origin';
  if (origin === undefined) return null;
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.host === host || (publicUrl !== null && url.origin === new URL(publicUrl).origin);
}
