import type { SealedText } from '#domain/inference/index.js';
import type { JsonObject } from '#domain/json.js';
import { contextOf } from '#ports/event-store/seal-context.js';
import type { StoredEvent } from '#ports/event-store/stored-event.js';
import { NONCE, TAG } from '#ports/key-store/seal-format.js';
import { fromBase64, joined, utf8 } from './primitives.js';

/** What an event has encrypted, with what proves it: the key that opens the event's own ciphertext. */
export interface Revealed {
  /** JSON of the encrypted fields. */
  readonly text: string;
  readonly key: Uint8Array;
}

/** Whether a text is what an event has encrypted. @throws Error in a browser that offers no WebCrypto to the page */
export async function isRevealed(event: Pick<StoredEvent, 'type' | 'data'>, { text, key }: Revealed): Promise<boolean> {
  const sealed = sealedIn(event);
  if (sealed === null) return false;
  const { type, data } = event;
  return (await opened(sealed, key, contextOf({ type, data: JSON.parse(data) as JsonObject }))) === text;
}

/** null where the key is not its own, or the ciphertext was changed. */
async function opened({ text }: SealedText, key: Uint8Array, context: string): Promise<string | null> {
  // Absent where a page is served by http from another host than localhost.
  const { subtle } = globalThis.crypto as Partial<typeof globalThis.crypto>;
  if (subtle === undefined)
    throw new Error('Decrypted contents can be checked on a page that is served by HTTPS or from localhost only.');
  const bytes = fromBase64(text);
  if (bytes.length < TAG || key.length !== 32) return null;
  const algorithm = { name: 'AES-GCM', iv: new Uint8Array(NONCE), additionalData: owned(utf8(context)) };
  const ciphertext = owned(joined(bytes.subarray(TAG), bytes.subarray(0, TAG)));
  const imported = await subtle.importKey('raw', owned(key), 'AES-GCM', false, ['decrypt']);
  const plain = await subtle.decrypt(algorithm, imported, ciphertext).catch(() => null);
  return plain === null ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(plain);
}

/** In a buffer of its own, as WebCrypto's types demand. */
const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

export function sealedIn({ data }: Pick<StoredEvent, 'data'>): SealedText | null {
  // Most events have none, and are not worth parsing.
  if (!data.includes('"sealed":')) return null;
  return ((JSON.parse(data) as JsonObject)['sealed'] ?? null) as SealedText | null;
}
