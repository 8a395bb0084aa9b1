import { randomBytes } from 'node:crypto';
import type { SecretKey } from './secret-key.js';

/** Of new keys. */
const API_KEY_PREFIX = 'pio_sk_';
/** Of keys that an installation is given: older clients have keys of either. */
export const API_KEY_PREFIXES = [API_KEY_PREFIX, 'fast_sk_'] as const;

export const hasKeyPrefix = (text: string): boolean => API_KEY_PREFIXES.some((prefix) => text.startsWith(prefix));

/** A new API key: the prefix and 256 random bits. */
export const newApiKey = (): string => API_KEY_PREFIX + randomBytes(32).toString('base64url');

/** A new session or sign-in token: 256 random bits. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/**
 * The stored form of an API key: HMAC-SHA256 in hexadecimal, which also names the key's stream. A slow hash would add
 * nothing, because the key has 256 random bits.
 */
export const hashApiKey = (secret: SecretKey, key: string): string => secret.mac('key-hashes', key);

/** The stored form of a session token or a sign-in token. */
export const hashToken = (secret: SecretKey, token: string): string => secret.mac('sessions', token);

/** The stored forms that a key may have: under this secret, and under earlier ones. */
export const hashesOfApiKey = (secret: SecretKey, key: string): readonly string[] => secret.macs('key-hashes', key);

/** Names a client's address, which it does not reveal: the same for the same address under the same secret. */
export const hashAddress = (secret: SecretKey, ip: string): string =>
  hashToken(secret, `address ${ip}`).slice(0, ADDRESS_DIGITS);
const ADDRESS_DIGITS = 16;

export const hashesOfToken = (secret: SecretKey, token: string): readonly string[] => secret.macs('sessions', token);
