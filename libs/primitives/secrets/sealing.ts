import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SecretKey } from './secret-key.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

/**
 * Encrypts a text under the installation's secret (AES-256-GCM, a random nonce each time).
 * @param context purpose and id; `unseal` needs the same context
 * @returns nonce, tag and ciphertext, as base64
 */
export function seal(secret: SecretKey, text: string, context: string): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(ALGORITHM, secret.derive('sealing'), nonce, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** @returns null for a text that was sealed under another secret or context, or was changed */
export function unseal(secret: SecretKey, sealed: string, context: string): string | null {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < NONCE + TAG) return null;
  for (const key of secret.keys('sealing')) {
    try {
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE), { authTagLength: TAG });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString('utf8');
    } catch {
      // Sealed under another secret.
    }
  }
  return null;
}
