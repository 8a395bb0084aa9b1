import type { JsonObject } from '#domain/json.js';
import { unsealEvent } from '#ports/event-store/sealing.js';
import type { StoredEvent } from './entries.js';
import { sealedIn, type Revealed } from './opened.js';

export { isRevealed, sealedIn, type Revealed } from './opened.js';

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

const opened = ({ type, data }: Pick<StoredEvent, 'type' | 'data'>, key: Uint8Array): string | null =>
  unsealEvent(key, { type, data: JSON.parse(data) as JsonObject });
