/**
 * What the verification of an export needs of its platform. Everything that it imports runs in Node and in browsers: a browser provides these,
 * Node has its own.
 */
export interface Primitives {
  sha256(bytes: Uint8Array): Uint8Array;
  /** @param key 32 bytes (RFC 8032) */
  verifyEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}

const node = globalThis.process?.getBuiltinModule?.('node:crypto');
const SPKI_OF_KEY = Uint8Array.from('302a300506032b6570032100'.match(/../g)!, (digits) => Number.parseInt(digits, 16));

let primitives: Primitives | null = node
  ? {
      sha256: (bytes) => node.hash('sha256', bytes, 'buffer'),
      verifyEd25519(raw, message, signature) {
        const key = node.createPublicKey({ key: Buffer.concat([SPKI_OF_KEY, raw]), format: 'der', type: 'spki' });
        return node.verify(null, message, key, signature);
      },
    }
  : null;

/** Call it before anything is verified. @returns those until then */
export function providePrimitives(given: Primitives | null): Primitives | null {
  const before = primitives;
  primitives = given;
  return before;
}

export const sha256 = (bytes: Uint8Array): Uint8Array => primitives!.sha256(bytes);
export const verifyEd25519: Primitives['verifyEd25519'] = (key, message, signature) =>
  primitives!.verifyEd25519(key, message, signature);

const encoder = new TextEncoder();
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** Empty for a text that is no base64. */
export function fromBase64(text: string): Uint8Array {
  if (node) return Buffer.from(text, 'base64');
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

export const toBase64 = (bytes: Uint8Array): string =>
  node ? Buffer.from(bytes).toString('base64') : btoa(String.fromCharCode(...bytes));

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
