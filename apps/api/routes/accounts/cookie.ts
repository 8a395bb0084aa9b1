import { SESSION_COOKIE } from '../../edge/auth/credentials.js';

/** A `Set-Cookie` header that signs a browser in; no script of any page can read it. */
export const sessionCookie = (token: string, expiresAt: string, publicUrl: string | null): string =>
  `${SESSION_COOKIE}=${token}; Path=/; HttpOnly; SameSite=Lax; Expires=${new Date(expiresAt).toUTCString()}${secure(publicUrl)}`;

export const clearedCookie = (publicUrl: string | null): string =>
  `${SESSION_COOKIE}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0${secure(publicUrl)}`;

const secure = (publicUrl: string | null): string => (publicUrl?.startsWith('https:') ? '; Secure' : '');
