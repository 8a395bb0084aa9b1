import { seal, unseal, type SecretKey } from '#primitives/secrets/index.js';
import type { BegunSignIn } from './provider.js';

/** A pending sign-in of one browser, and its destination. */
interface BegunHere extends BegunSignIn {
  readonly to: string;
}

const PLACE = 'Path=/auth/oidc; HttpOnly; SameSite=Lax';
const LIFETIME_S = 600;
const CONTEXT = 'oidc';

/** Sealed, so that any replica can finish what another began, and no browser can make one up. */
export function begunCookie(secret: SecretKey, begun: BegunHere, publicUrl: string | null): string {
  const sealed = seal(secret, JSON.stringify({ ...begun, until: Date.now() + LIFETIME_S * 1000 }), CONTEXT);
  const value = Buffer.from(sealed, 'base64').toString('base64url');
  return `anneal_oidc=${value}; ${PLACE}; Max-Age=${LIFETIME_S}${secure(publicUrl)}`;
}

export const clearedBegunCookie = (publicUrl: string | null): string =>
  `anneal_oidc=; ${PLACE}; Max-Age=0${secure(publicUrl)}`;

/** null if the browser has no cookie that was sealed here and is fresh enough. */
export function begunIn(secret: SecretKey, cookies = ''): BegunHere | null {
  const [, value = ''] = /(?:^|;\s*)anneal_oidc=([\w-]+)/.exec(cookies) ?? [];
  const text = unseal(secret, Buffer.from(value, 'base64url').toString('base64'), CONTEXT);
  if (text === null) return null;
  const begun = JSON.parse(text) as BegunHere & { readonly until: number };
  return begun.until > Date.now() ? begun : null;
}

const secure = (publicUrl: string | null): string => (publicUrl?.startsWith('https:') ? '; Secure' : '');
