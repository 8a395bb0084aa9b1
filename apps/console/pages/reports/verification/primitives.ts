import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Primitives } from '#audit/primitives.js';

/** In JavaScript: WebCrypto hashes asynchronously, twenty times an event, and a page that is served by http has none. */
export const browserPrimitives: Primitives = {
  sha256,
  verifyEd25519(key, message, signature) {
    try {
      return ed25519.verify(signature, message, key, { zip215: false });
    } catch {
      // A key or signature that is no point of the curve.
      return false;
    }
  },
};
