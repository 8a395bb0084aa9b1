import type { JsonObject } from '#domain/json.js';
import type { SealedText } from '#domain/inference/index.js';
import { unsealEvent } from '#ports/event-store/sealing.js';
import type { StoredEvent } from './entries.js';

/** What an event has encrypted, with what proves it: the key that opens the event's own ciphertext. */
export interface Revealed {
  /** JSON of the encrypted fields. */
  readonly text: string;
  readonly key: Uint8Array;
}

/** null for an event without encrypted fields, and for one whose key is destroyed. */
export async function reveal(
  keys: { get(id: string): Promise<Uint8Array | null> },
  event: Pick<StoredEvent, 'type' | 'data'>,
): Promise<Revealed | null> {
  const sealed = sealedIn(event);
  const key = sealed && (await keys.get(sealed.key));
  const text = key && opened(event, key);
  return text === null ? null : { text, key: key! };
}

/** Whether a text is what an event has encrypted. */
export const isRevealed = (event: Pick<StoredEvent, 'type' | 'data'>, { text, key }: Revealed): boolean =>
  sealedIn(event) !== null && opened(event, key) === text;

export function sealedIn({ data }: Pick<StoredEvent, 'data'>): SealedText | null {
  // Most events have none, and are not worth parsing.
  if (!data.includes('"sealed":')) return null;
  return ((JSON.parse(data) as JsonObject)['sealed'] ?? null) as SealedText | null;
}

const opened = ({ type, data }: Pick<StoredEvent, 'type' | 'data'>, key: Uint8Array): string | null =>
  unsealEvent(key, { type, data: JSON.parse(data) as JsonObject });
